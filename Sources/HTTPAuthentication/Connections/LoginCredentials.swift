import Glibc
import GSSAuthentication
import SecureMemory
import VaultModel

/// The credentials of logins, with the tickets that were got for them.
///
/// One is used again only with the very secret that it was made with, which the vault has to give
/// each time. Tickets of the user's own are looked up each time.
final class LoginCredentials: Sendable {
  private struct Key: Hashable {
    let mechanism: Mechanism
    let user: [UInt8]
    let secret: SecretHasher.Hash
  }

  private struct Entry {
    let key: Key
    let credential: LoginCredential
    /// The monotonic second at which its tickets end.
    let end: Int
  }

  /// The limit that keeps a program with ever new users from filling the memory.
  private static let limit = 64

  /// The latest last.
  private let entries = Lock<[Entry]>([])
  private let hasher = SecretHasher()

  /// Begins a login; blocks while a KDC is asked.
  func begin(
    _ source: LoginSource, _ mechanism: Mechanism, _ service: String, _ binding: [UInt8]
  ) throws(LoginFailure) -> (user: String, login: any LoginContinuing) {
    let credential = try credential(source, mechanism)
    let user =
      switch source {
      case .tickets: credential.principal
      case .password(let user, _), .keytab(let user, _): user
      }
    return (user, LoginContext(credential, service: service, bindings: binding))
  }

  /// Forgets the tickets of a secret.
  func forget(_ secret: Secret) {
    let hash = hasher.hash(of: secret)
    entries.withLock { $0.removeAll { $0.key.secret == hash } }
  }

  private func credential(
    _ source: LoginSource, _ mechanism: Mechanism
  ) throws(LoginFailure) -> LoginCredential {
    switch source {
    case .tickets: return try LoginCredential(source, for: mechanism)
    case .password(let user, let secret), .keytab(let user, let secret):
      let key = Key(
        mechanism: mechanism, user: Array(user.utf8), secret: hasher.hash(of: secret))
      return try kept(key) { () throws(LoginFailure) in
        try LoginCredential(source, for: mechanism)
      }
    }
  }

  /// Returns the credential that is kept under a key, or a new one.
  private func kept(
    _ key: Key, _ make: () throws(LoginFailure) -> LoginCredential
  ) throws(LoginFailure) -> LoginCredential {
    let now = Self.now()
    let known = entries.withLock { entries in
      entries.removeAll { $0.end <= now }
      return entries.last { $0.key == key }?.credential
    }
    if let known { return known }
    // Two that begin at once both ask the KDC.
    let made = try make()
    // Before the last minute, so that a login does not outlive its ticket.
    let end = now + max(0, Int(made.lifetime) - 60)
    entries.withLock { entries in
      entries.append(Entry(key: key, credential: made, end: end))
      if entries.count > Self.limit { entries.removeFirst() }
    }
    return made
  }

  private static func now() -> Int {
    var time = timespec()
    // A struct of ours.
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec
  }
}
