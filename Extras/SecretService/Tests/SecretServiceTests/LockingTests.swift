import BusMessages
import CredentialVault
import SecureMemory
import Testing
import VaultModel

@testable import SecretService

@Suite("Locking and prompts of the Secret Service")
struct LockingTests {
  private func locked() throws -> ServiceFixture {
    let bench = try ServiceFixture()
    _ = try bench.create(["a": "1"], Secret("one"))
    let locked = try bench.call(
      ServiceFixture.path, "Service", "Lock", .paths([ServiceFixture.login]))
    #expect(locked[0].paths == [ServiceFixture.login])
    _ = (bench.service.takeSignals(), bench.service.takeLockSignals())
    return bench
  }

  private func unlock(
    _ bench: ServiceFixture, _ path: String, from sender: String = ":1.1"
  ) throws -> String {
    let answer = try bench.call(
      ServiceFixture.path, "Service", "Unlock", .paths([path]), from: sender)
    #expect(answer[0].paths == [])
    return answer[1].path ?? ""
  }

  private func completed(_ bench: ServiceFixture) -> [(BusSignal, Bool?, [String]?)] {
    bench.service.takeSignals().filter { $0.member == "Completed" }.map { signal in
      guard case .variant(let value) = signal.arguments[1] else { return (signal, nil, nil) }
      return (signal, signal.arguments[0].flag, value.paths)
    }
  }

  @Test("a search of a locked vault waits for the passphrase, and its first answer is right")
  func searching() throws {
    let bench = try locked()
    bench.service.clientIs(":1.1", process: 42)
    let first = try bench.beginSearch(["a": "1"])
    let second = try bench.beginSearch(["a": "2"], from: ":1.2")
    try bench.call(ServiceFixture.login, "Collection", "SearchItems", .texts([:]), from: ":1.3")
    let third = bench.calls
    #expect(bench.asked == 1 && bench.requester == .process(42))
    // Others are answered meanwhile.
    #expect(try bench.property("Locked", of: ServiceFixture.login, "Collection")?.flag == true)
    let unseen = ServiceFixture.login + "/00000000000000000000000001"
    #expect(refusal { () throws(BusError) in _ = try bench.secret(unseen) } == "IsLocked")
    #expect(refusal { () throws(BusError) in _ = try bench.create(["a": "2"]) } == "IsLocked")
    #expect(try bench.takeFound().isEmpty)
    try bench.type()
    let found = try bench.takeFound()
    let path = try #require(found[first]??.first)
    #expect(found == [first: [path], second: [], third: [path]])
    #expect(try bench.secret(path) == Array("one".utf8))
    #expect(!bench.service.isAsking)
  }

  @Test("a prompt that is refused or takes too long ends the searches that wait, as locked")
  func searchingInVain() throws {
    let bench = try locked()
    var call = try bench.beginSearch(["a": "1"])
    bench.service.passphraseEnded(isUnlocked: false)
    #expect(try bench.takeFound() == [call: nil])

    call = try bench.beginSearch(["a": "1"])
    #expect(bench.asked == 2)
    let end = try #require(bench.service.nextRefresh)
    bench.clock.now = end - .seconds(1)
    try bench.service.refresh()
    #expect(try bench.takeFound().isEmpty && bench.cancelled == 0)
    bench.clock.now = end
    try bench.service.refresh()
    #expect(try bench.takeFound() == [call: nil])
    #expect(bench.cancelled == 1 && !bench.service.isAsking && bench.service.nextRefresh == nil)

    // Its client leaves.
    _ = try bench.beginSearch(["a": "1"], from: ":1.2")
    bench.service.clientLeft(":1.2")
    #expect(bench.cancelled == 2 && !bench.service.isAsking)
  }

  @Test("a search that waits is answered when the vault is unlocked in another way")
  func unlockedOtherwise() throws {
    let bench = try ServiceFixture()
    let path = try bench.create(["a": "1"])
    try bench.vault.lock()
    let call = try bench.beginSearch(["a": "1"])
    try bench.vault.unlock(with: .passphrase(ServiceFixture.passphrase))
    #expect(try bench.property("Locked", of: ServiceFixture.login, "Collection")?.flag == false)
    #expect(try bench.takeFound() == [call: [path]])
    #expect(bench.cancelled == 1 && !bench.service.isAsking)
  }

  @Test("several prompts are one question, and all get its answer")
  func several() throws {
    let bench = try locked()
    let prompts = [
      try unlock(bench, ServiceFixture.login),
      try unlock(bench, ServiceFixture.session, from: ":1.2"),
    ]
    bench.service.clientIs(":1.1", process: 42)
    try bench.call(prompts[0], "Prompt", "Prompt", .text(""))
    try bench.call(prompts[1], "Prompt", "Prompt", .text(""), from: ":1.2")
    // The first of them is shown.
    #expect(bench.asked == 1 && bench.requester == .process(42))
    bench.service.passphraseEnded(isUnlocked: false)
    let ended = completed(bench)
    #expect(ended.map(\.0.path) == prompts && ended.map(\.0.destination) == [":1.1", ":1.2"])
    #expect(ended.allSatisfy { $0.1 == true && $0.2 == [] })
  }

  @Test("a prompt is dismissed by its client alone, and ends with it")
  func dismissing() throws {
    let bench = try locked()
    let prompt = try unlock(bench, ServiceFixture.login)
    #expect(
      refusal { () throws(BusError) in
        try bench.call(prompt, "Prompt", "Dismiss", from: ":1.9")
      } == "NoSuchObject")
    try bench.call(prompt, "Prompt", "Prompt", .text(""))
    try bench.call(prompt, "Prompt", "Dismiss")
    #expect(bench.cancelled == 1 && !bench.service.isAsking)
    #expect(completed(bench).map(\.1) == [true])
    let other = try unlock(bench, ServiceFixture.login, from: ":1.2")
    try bench.call(other, "Prompt", "Prompt", .text(""), from: ":1.2")
    bench.service.clientLeft(":1.2")
    #expect(bench.cancelled == 2 && !bench.service.isAsking)
  }

  @Test("prompts that are never completed are few")
  func bounded() throws {
    let bench = try locked()
    for _ in 0..<32 { _ = try unlock(bench, ServiceFixture.login) }
    #expect(
      refusal { () throws(BusError) in
        try bench.call(ServiceFixture.path, "Service", "Unlock", .paths([ServiceFixture.login]))
      } == "LimitsExceeded")
    _ = try unlock(bench, ServiceFixture.login, from: ":1.2")
    bench.service.clientLeft(":1.1")
    _ = try unlock(bench, ServiceFixture.login)
  }

  @Test("a program's prompts give way to another's, and are dismissed")
  func manyPrompts() throws {
    let bench = try locked()
    let friend = try unlock(bench, ServiceFixture.login, from: ":9.1")
    try bench.call(friend, "Prompt", "Prompt", .text(""), from: ":9.1")
    var prompts: [String] = []
    for number in 0..<511 {
      let client = ":2.\(number / 32)"
      bench.service.clientIs(client, process: 42)
      prompts.append(try unlock(bench, ServiceFixture.login, from: client))
      try bench.call(prompts[number], "Prompt", "Prompt", .text(""), from: client)
    }
    #expect(
      refusal { () throws(BusError) in
        try bench.call(
          ServiceFixture.path, "Service", "Unlock", .paths([ServiceFixture.login]), from: ":2.15")
      } == "LimitsExceeded")
    let new = try unlock(bench, ServiceFixture.login, from: ":9.2")
    #expect(completed(bench).map(\.0.path) == [prompts[0]])
    try bench.call(new, "Prompt", "Prompt", .text(""), from: ":9.2")
    #expect(bench.asked == 1)
    bench.service.passphraseEnded(isUnlocked: true)
    let ended = completed(bench)
    #expect(ended.count == 512 && ended.allSatisfy { $0.1 == false })
    #expect(ended.first?.0.path == friend && ended.last?.0.path == new)
  }

  @Test("an Unlock of too many objects is refused")
  func manyPaths() throws {
    let bench = try locked()
    let paths = [String](repeating: ServiceFixture.login, count: 1024)
    let prompt = try bench.call(ServiceFixture.path, "Service", "Unlock", .paths(paths))[1].path
    #expect(prompt != "/")
    #expect(
      refusal { () throws(BusError) in
        try bench.call(
          ServiceFixture.path, "Service", "Unlock", .paths(paths + [ServiceFixture.login]))
      } == "LimitsExceeded")
  }

  @Test("searches that wait are few, and of a size that an item can have")
  func searches() throws {
    let bench = try locked()
    let large: [[String: String]] = [
      ["a": String(repeating: "x", count: 1 << 16)],
      Dictionary(uniqueKeysWithValues: (0..<81).map { ("a\($0)", "x") }),
    ]
    for isUnlocked in [false, true] {
      if isUnlocked { try bench.type() }
      for attributes in large {
        for (path, interface) in [
          (ServiceFixture.path, "Service"), (ServiceFixture.login, "Collection"),
        ] {
          #expect(
            refusal { () throws(BusError) in
              try bench.call(path, interface, "SearchItems", .texts(attributes))
            } == "LimitsExceeded")
        }
      }
    }
    // Nobody is asked for a search that is refused anyway.
    #expect(bench.asked == 0)

    try bench.call(ServiceFixture.path, "Service", "Lock", .paths([ServiceFixture.login]))
    for number in 0..<64 { _ = try bench.beginSearch(["a": "\(number)"]) }
    #expect(
      refusal { () throws(BusError) in _ = try bench.beginSearch(["a": "1"]) } == "LimitsExceeded")
    _ = try bench.beginSearch(["a": "1"], from: ":1.2")
    #expect(bench.asked == 1)
    bench.service.passphraseEnded(isUnlocked: false)
    #expect(try bench.takeFound().count == 65)
  }

  @Test("an Unlock that unlocks nothing leaves it locked by the client that locked it")
  func stillLocked() throws {
    let bench = try locked()
    _ = try unlock(bench, ServiceFixture.login)
    #expect(bench.served.isLockedByClient)
    try bench.type()
    #expect(!bench.served.isLockedByClient)
  }

  @Test("everybody is told once of each change of the lock, however it came about")
  func told() throws {
    let bench = try ServiceFixture()
    func told() -> [Bool?] {
      bench.service.takeLockSignals().filter {
        $0.member == "PropertiesChanged" && $0.path == ServiceFixture.login
      }.map { $0.arguments[1].variants?["Locked"]?.flag }
    }
    _ = try bench.create(["a": "1"])
    #expect(told() == [false])
    _ = try bench.create(["a": "2"])
    #expect(told() == [])
    // Another object of this process locks it, which no call says.
    try bench.vault.lock()
    _ = try bench.beginSearch(["a": "1"])
    #expect(told() == [true])
    try bench.type()
    #expect(told() == [false])
    try bench.call(ServiceFixture.path, "Service", "Lock", .paths([ServiceFixture.login]))
    #expect(told() == [true])
    try bench.call(ServiceFixture.path, "Service", "Lock", .paths([ServiceFixture.login]))
    #expect(told() == [])
  }
}
