import CVaultSystem
import Foundation
import SecureMemory
import TestSupport
import Testing
import VaultCrypto
import VaultModel

@testable import VaultStore

/// The keys that the kernel keeps; every test has its own vault, and forgets its keys.
@Suite("keys in the kernel", .needsKeyrings)
struct KernelTests {
  private let keys = EpochKeys.random()
  private var ident: Ident { keys.ident }

  /// Lets the kernel keep a key by another clock than the kernel's.
  private func plant(_ remembered: borrowing RememberedKey, seconds: UInt32 = 60) throws {
    try KernelKey.add(RememberedKeys.name(ident), remembered.content, seconds: seconds)
  }

  private var isThere: Bool {
    get throws { try KernelKey.find(RememberedKeys.name(ident)) != nil }
  }

  @Test("a key is found again until it is forgotten")
  func keep() throws {
    #expect(RememberedKeys.use(ident) == nil)
    try RememberedKeys.keep(keys, for: RememberedTime())
    let found = try #require(RememberedKeys.use(ident))
    #expect(found.keys.hasSameVaultKey(as: keys))
    #expect(found.idle == 900 && (28_000...28_800).contains(found.secondsLeft))
    #expect(RememberedKeys.use(ident) != nil)
    #expect(try RememberedKeys.forget(ident.vaultID) == 1)
    #expect(RememberedKeys.use(ident) == nil)
    #expect(try RememberedKeys.forget(ident.vaultID) == 0)
  }

  @Test("a key of another epoch or vault is not found, and forgotten with the vault")
  func epochs() throws {
    let next = EpochKeys.random(ident.vaultID, epoch: 2)
    try RememberedKeys.keep(keys, for: RememberedTime())
    #expect(RememberedKeys.use(next.ident) == nil)
    #expect(RememberedKeys.use(EpochKeys.random().ident) == nil)
    try RememberedKeys.keep(next, for: RememberedTime())
    #expect(try RememberedKeys.forget(ident.vaultID) == 2)
  }

  @Test("a key that is kept again takes the place of the one before")
  func replace() throws {
    try RememberedKeys.keep(keys, for: RememberedTime())
    let other = EpochKeys.random(ident.vaultID)
    try RememberedKeys.keep(other, for: RememberedTime(idle: 77, most: 100))
    let found = try #require(RememberedKeys.peek(ident))
    #expect(found.keys.hasSameVaultKey(as: other) && found.idle == 77)
    #expect(try RememberedKeys.forget(ident.vaultID) == 1)
  }

  @Test("a key for one use is gone after it, and a look is no use")
  func oneUse() throws {
    try RememberedKeys.keep(keys, for: .oneUse)
    #expect(RememberedKeys.peek(ident)?.idle == 0)
    #expect(RememberedKeys.use(ident) != nil)
    #expect(RememberedKeys.use(ident) == nil)
    #expect(try !isThere)
  }

  @Test("of several threads that want a key for one use at once, one gets it")
  func oneUseForOne() throws {
    for _ in 0..<100 {
      try RememberedKeys.keep(keys, for: .oneUse)
      let uses = Lock(0)
      inThreads(4) { [ident] _ in
        if RememberedKeys.use(ident) != nil { uses.withLock { $0 += 1 } }
      }
      #expect(uses.withLock { $0 } == 1)
    }
  }

  @Test("of two threads that take a key at once, one gets it")
  func oneTake() throws {
    for _ in 0..<200 {
      try RememberedKeys.keep(keys, for: .oneUse)
      let key = try #require(try KernelKey.find(RememberedKeys.name(ident)))
      let (takes, ready) = (Lock(0), Lock(0))
      inThreads(2) { _ in
        // The kernel's gap is a few instructions wide: both must be at the call.
        ready.withLock { $0 += 1 }
        while ready.withLock({ $0 }) < 2 {}
        do {
          if try key.take() { takes.withLock { $0 += 1 } }
        } catch {
          Issue.record(error)
        }
      }
      #expect(takes.withLock { $0 } == 1)
    }
  }

  @Test("a key that another thread is about to take is not taken, and one it has left can be")
  func claimed() throws {
    try RememberedKeys.keep(keys, for: .oneUse)
    let key = try #require(try KernelKey.find(RememberedKeys.name(ident)))
    let name = "vaultctl:taken:\(key.number)"
    let claim = try #require(try KernelKey.add(name, KeyBuffer(random: 1), seconds: 60))
    try #require(try !key.take())
    try #require(RememberedKeys.use(ident) == nil)
    try claim.end()
    // Its name is taken until the kernel has collected it.
    while try !key.take() { continue }
    #expect(try !isThere)
  }

  /// The seconds after which the kernel ends the key, as proc_keys(5) has them: below a minute
  /// exact, above it rounded down to a whole unit.
  private var timeout: String {
    get throws {
      // Only who possesses the key sees it there.
      _ = try #require(try KernelKeyring.open())
      // `String(contentsOfFile:)` stops after 4 KiB of a file that has no size.
      let file = try #require(FileHandle(forReadingAtPath: "/proc/keys"))
      let lines = String(decoding: try #require(try file.readToEnd()), as: UTF8.self)
        .split(separator: "\n")
      let line = try #require(
        lines.first { $0.hasSuffix(" \(RememberedKeys.name(ident)): \(RememberedKey.byteCount)") })
      return String(line.split(separator: " ")[3])
    }
  }

  @Test("the kernel ends a key that is not used")
  func idle() async throws {
    // Shortly before a second of the wall clock is over, which is what the kernel counts.
    while Date().timeIntervalSince1970.truncatingRemainder(dividingBy: 1) < 0.9 {
      try await Task.sleep(for: .milliseconds(5))
    }
    let start = ContinuousClock.now
    try RememberedKeys.keep(keys, for: RememberedTime(idle: 1, most: 3600))
    // Looking does not count as use. How late the kernel is only decides how long this takes.
    while try isThere { try await Task.sleep(for: .milliseconds(50)) }
    #expect(ContinuousClock.now - start >= .seconds(1))
    #expect(RememberedKeys.use(ident) == nil)
  }

  @Test("a use puts the kernel's end off by the idle time, but not past the key's own end")
  func putOff() throws {
    try RememberedKeys.keep(keys, for: RememberedTime(idle: 600, most: 3600))
    #expect(try !timeout.hasSuffix("s"))
    let mark = try #require(BootMark.current())
    try plant(RememberedKey(keys, RememberedTime(idle: 3600, most: 50), at: mark), seconds: 3600)
    #expect(try !timeout.hasSuffix("s"))
    #expect(RememberedKeys.use(ident) != nil)
    #expect(try timeout.hasSuffix("s"))
    try plant(RememberedKey(keys, RememberedTime(idle: 3600, most: 7000), at: mark), seconds: 50)
    #expect(try timeout.hasSuffix("s"))
    #expect(RememberedKeys.use(ident) != nil)
    #expect(try !timeout.hasSuffix("s"))
    try RememberedKeys.forget(ident.vaultID)
  }

  @Test(
    "a key past its end, or from before a sleep or boot, is ended, whatever the kernel's timeout",
    arguments: [BootMark.at(1100, asleep: 5), .at(1001, asleep: 6), .at(1001, asleep: 5, boot: 8)])
  func refused(_ mark: BootMark) throws {
    // As after the time of day was set back: the kernel would keep it for an hour more.
    let made = BootMark.at(1000, asleep: 5)
    try plant(
      RememberedKey(keys, RememberedTime(idle: 60, most: 100), at: made), seconds: 3600)
    #expect(RememberedKeys.look(ident, isUse: true, at: .at(1001, asleep: 5)) != nil)
    try plant(
      RememberedKey(keys, RememberedTime(idle: 60, most: 100), at: made), seconds: 3600)
    #expect(RememberedKeys.look(ident, isUse: false, at: mark) == nil)
    #expect(try !isThere)
  }

  @Test("what is no remembered key is not used", arguments: [1, 68, 70, 4096])
  func foreign(_ count: Int) throws {
    let content = unsafe KeyBuffer(count: count) { unsafe $0[0] = 1 }
    try KernelKey.add(RememberedKeys.name(ident), content, seconds: 60)
    #expect(RememberedKeys.use(ident) == nil)
    #expect(try RememberedKeys.forget(ident.vaultID) == 1)
  }

  @Test("a key whose place another took, and which only its thread holds yet, is gone")
  func replaced() async throws {
    // A key can be found, replaced by another thread's, and then still be held by its own.
    let (name, done) = (RememberedKeys.name(ident), DispatchSemaphore(value: 0))
    let number = await withCheckedContinuation { number in
      Thread.detachNewThread {
        let key = unsafe vault_key_add(
          "user", name, [0], 1, KernelKeyring.Special.thread.rawValue)
        _ = vault_key_set_mode(key, 0x3F00_0000)
        number.resume(returning: key)
        done.wait()
      }
    }
    defer { done.signal() }
    try #require(number > 0)
    #expect(try KernelKey(number: number).content(count: 1) == nil)
    try KernelKey(number: number).end()
  }

  @Test("a key is found at any moment while others replace it")
  func findWhileReplaced() throws {
    try RememberedKeys.keep(keys, for: RememberedTime())
    let isOver = Lock(false)
    inThreads(3) { [keys, ident] number in
      guard number > 0 else {
        for _ in 0..<2000 {
          do throws(VaultError) {
            try RememberedKeys.keep(keys, for: RememberedTime())
          } catch {
            // Replaced keys count against the quota for a moment, which is 200 for most users.
            if error.code != .outOfMemory { Issue.record(error) }
            usleep(5000)
          }
        }
        return isOver.withLock { $0 = true }
      }
      while !isOver.withLock({ $0 }) {
        let found = number == 1 ? RememberedKeys.use(ident) : RememberedKeys.peek(ident)
        if found != nil { continue }
        Issue.record("a key that is replaced is always there")
        return
      }
    }
    #expect(try RememberedKeys.forget(ident.vaultID) == 1)
  }

  @Test("threads that make the keyring at once have one")
  func oneKeyring() throws {
    for _ in 0..<100 {
      let place = unsafe vault_key_add(
        "keyring", "place", nil, 0, KernelKeyring.Special.process.rawValue)
      try #require(place > 0)
      let (numbers, ready) = (Lock<Set<Int32>>([]), Lock(0))
      inThreads(4) { _ in
        ready.withLock { $0 += 1 }
        while ready.withLock({ $0 }) < 4 {}
        do {
          let keyring = try KernelKeyring.make(in: place)
          _ = numbers.withLock { $0.insert(keyring.number) }
        } catch {
          Issue.record(error)
        }
      }
      #expect(numbers.withLock { $0.count } == 1)
    }
  }

  @Test("the key of a session does not outlive the vault's when it gets other times")
  func retimeForgotten() throws {
    let session = EpochKeys.random()
    try RememberedKeys.keep(keys, for: RememberedTime())
    try RememberedKeys.keep(session, sessionOf: ident, for: RememberedTime())
    try RememberedKeys.retime(sessionsOf: ident, to: RememberedTime(idle: 77, most: 100))
    #expect(RememberedKeys.use(session.ident, sessionOf: ident)?.idle == 77)
    try #require(try KernelKey.find(RememberedKeys.name(ident))).end()
    try RememberedKeys.retime(sessionsOf: ident, to: RememberedTime())
    #expect(RememberedKeys.use(session.ident, sessionOf: ident) == nil)
  }

  @Test("digests that are made at once, with no key yet, are all known later")
  func digests() throws {
    let secret = Secret("one")
    for _ in 0..<100 {
      let prefix = "\(RememberedKeys.prefix(VaultID()))digest:"
      let digests = Lock<[KeyedDigest]>([])
      inThreads(4) { _ in
        let digest = DigestKey.digest(of: secret, by: prefix)
        digests.withLock { $0 += digest.map { [$0] } ?? [] }
      }
      let known = digests.withLock {
        $0.filter { DigestKey.isDigest($0, of: secret, by: prefix) }
      }
      #expect(known.count == 4)
      for key in try KernelKey.all(beginning: prefix) { try key.end() }
    }
  }

  @Test("a key that is ended leaves the one that took its place")
  func endReplaced() throws {
    try RememberedKeys.keep(keys, for: RememberedTime())
    let first = try #require(try KernelKey.find(RememberedKeys.name(ident)))
    try RememberedKeys.keep(keys, for: .oneUse)
    #expect(try !first.end())
    #expect(try !first.take())
    #expect(RememberedKeys.use(ident) != nil)
  }
}
