import CredentialVault
import SecureMemory
import Synchronization
import VaultModel

/// The session's memory against a bare dictionary behind a mutex.
struct Sessions {
  let count: Int
  let report: Report

  func run() throws {
    let vault = Vault.inMemory()
    let bare = Mutex<[ProtectionSpace: Credential]>([:])
    var spaces: [ProtectionSpace] = []
    for sample in Sample.shuffled(0..<count) {
      // One user a space, as a dictionary can hold.
      let space = try ProtectionSpace(
        host: "n\(sample.number)." + sample.server, realm: Sample.realm,
        authenticationMethod: .basic)
      let credential = Credential(
        user: sample.account, secret: Secret(sample.secret), persistence: .session)
      try vault.set(credential, for: space)
      bare.withLock { $0[space] = credential }
      spaces.append(space)
    }
    spaces.shuffle()
    let lookups = Array(spaces.prefix(10_000))
    let repeats = max(1, 10_000 / lookups.count)
    let total = Double(lookups.count * repeats)
    func pass(_ look: (ProtectionSpace) throws -> Bool) throws -> Double {
      try seconds {
        for _ in 0..<repeats {
          for space in lookups where try !look(space) { throw Failure("not found") }
        }
      } / total
    }
    let bareLook = { (space: ProtectionSpace) in
      bare.withLock { ($0[space]?.user.utf8.count ?? 0) > 0 }
    }
    let unopened = try alternating(21) {
      try pass { try vault.users(for: $0).first.map { $0.utf8.count > 0 } ?? false }
    } peer: {
      try pass(bareLook)
    }
    report.add(
      "session, secret unopened; against a bare Mutex<Dictionary>", count, unopened, .ratio(1.5))
    let opened = try alternating(21) {
      try pass { try vault.credentials(for: $0).first.map { Subject.sum($0.secret) > 0 } ?? false }
    } peer: {
      try pass { space in
        bare.withLock { $0[space] }.map { Subject.sum($0.secret) > 0 } ?? false
      }
    }
    report.add(
      "session, secret opened and read; against a bare Mutex<Dictionary>", count, opened,
      .time(1e-6))
  }
}
