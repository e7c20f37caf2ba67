import VaultAdministration
import Dispatch
import PeerSodium
import Synchronization

/// The time that other tasks of the process wait while vaults are unlocked and written to.
///
/// The peer is the same heartbeat beside four plain threads that derive keys with libsodium at the
/// same cost: even that delays the timers of the Swift runtime.
struct Heartbeat {
  let report: Report
  let folder: String

  private static let passphrase = KeySource.passphrase(Secret("correct horse battery staple"))
  private static let interval = Duration.milliseconds(10)

  func run() throws {
    let cost = try VaultKeys.calibratedCost()
    var vaults: [Vault] = []
    for index in 0..<8 {
      vaults.append(
        try Vault.create(
          path: "\(folder)/heartbeat-\(index)/vault", key: Self.passphrase, cost: cost))
    }
    let (unlocked, written) = (Array(vaults[..<4]), Array(vaults[4...]))
    let pairs = try alternating(5, warmUp: false) {
      try longestDelay(
        unlocked.map { vault in { @Sendable in try await Self.unlock(vault) } }
          + written.map { vault in { @Sendable in try await Self.write(vault) } })
    } peer: {
      try longestDelay(
        unlocked.map { _ in { @Sendable in try await Self.inThread { try Self.derive(cost) } } })
    }
    let blocking = try longestDelay(
      unlocked.map { vault in { @Sendable in try Self.unlockBlocking(vault) } }
        + written.map { vault in { @Sendable in try Self.writeBlocking(vault) } })
    report.add(
      "a 10 ms heartbeat beside four unlocks by passphrase and four writers: longest delay;"
        + " beside four threads that only derive keys with libsodium", 8, pairs, .time(0.1))
    report.add(alone: "the same with the synchronous functions", 8, blocking)
  }

  private static func unlock(_ vault: Vault) async throws {
    for _ in 0..<2 {
      try await vault.lock()
      try await vault.unlock(with: passphrase)
    }
  }

  private static func unlockBlocking(_ vault: Vault) throws {
    for _ in 0..<2 {
      try vault.lock()
      try vault.unlock(with: passphrase)
    }
  }

  /// Derives a key twice, as two unlocks do.
  private static func derive(_ cost: PassphraseCost) throws {
    let passphrase = Array("correct horse battery staple".utf8CString)
    let salt = [UInt8](repeating: 1, count: Int(crypto_pwhash_SALTBYTES))
    var key = [UInt8](repeating: 0, count: 32)
    for _ in 0..<2 {
      // The arrays outlive the call, which reads and writes no more than their counts.
      let status = unsafe crypto_pwhash(
        &key, UInt64(key.count), passphrase, UInt64(passphrase.count - 1), salt,
        UInt64(cost.passes), Int(cost.memoryKiB) << 10, crypto_pwhash_ALG_ARGON2ID13)
      guard status == 0 else { throw Failure("crypto_pwhash: out of memory") }
    }
  }

  /// Runs `body` on a thread of its own, which a serial queue has.
  private static func inThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "plain").async {
        continuation.resume(with: Result(catching: body))
      }
    }
  }

  private static func write(_ vault: Vault) async throws {
    for number in 0..<100 {
      _ = try await vault.perform { vault in
        try vault.upsert(
          Item(server: try HostName("h\(number)"), secret: Secret("one")))
      }
    }
  }

  private static func writeBlocking(_ vault: Vault) throws {
    for number in 0..<100 {
      try vault.upsert(
        Item(server: try HostName("h\(number)"), secret: Secret("one")))
    }
  }

  /// Returns by how many seconds the latest beat was late while the work was done.
  private func longestDelay(_ work: [@Sendable () async throws -> Void]) throws -> Double {
    let result = Mutex<Result<Double, any Error>>(.success(0))
    let done = DispatchSemaphore(value: 0)
    Task {
      let beats = Task {
        var longest = Duration.zero
        while !Task.isCancelled {
          let start = ContinuousClock.now
          try? await Task.sleep(for: Self.interval)
          longest = max(longest, ContinuousClock.now - start - Self.interval)
        }
        return longest
      }
      do {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for body in work { group.addTask { try await body() } }
          try await group.waitForAll()
        }
      } catch {
        result.withLock { $0 = .failure(error) }
      }
      beats.cancel()
      let longest = await beats.value
      result.withLock { result in
        if case .success = result {
          result = .success(
            Double(longest.components.seconds) + Double(longest.components.attoseconds) / 1e18)
        }
      }
      done.signal()
    }
    done.wait()
    return try result.withLock { try $0.get() }
  }
}
