import CredentialVault
import HTTPAuthentication
import SecureMemory
import TestSupport
import VaultModel

/// A vault of one test's own, with a key file.
struct Fixture {
  let folder: TemporaryFolder
  let vault: Vault

  var path: String { folder.file("vault/own.vault") }
  var key: KeySource { .keyFile(folder.file("key")) }

  init() throws {
    StateFolder.useOwn()
    folder = try TemporaryFolder()
    try KeyFile.create(at: folder.file("key"))
    vault = try Vault.create(
      path: folder.file("vault/own.vault"), key: .keyFile(folder.file("key")), slotName: "own")
  }

  /// Stores a credential of `https://h`, realm `Team`.
  @discardableResult
  func store(
    _ user: String = "ann", _ password: String = "right", realm: String = "Team",
    _ persistence: Persistence = .permanent, _ method: AuthenticationMethod = .basic
  ) throws -> Item {
    try vault.set(
      Credential(user: user, secret: Secret(password), persistence: persistence),
      for: ProtectionSpace(host: "h", realm: realm, authenticationMethod: method)
    ).item
  }

  /// Returns all items, including the session's, each with its secret.
  func items() throws -> [Item] { try vault.findAll(ItemQuery(), withSecrets: true) }
}

extension Item {
  /// Returns whether the secret is this one; never shown if it is not.
  func has(_ password: String) -> Bool { secret?.isEqual(to: Secret(password)) ?? false }
}

extension Step {
  /// The fields to send next; nil at the end.
  var fields: [AuthorizationField]? {
    if case .send(let fields) = self { return fields }
    return nil
  }

  /// The schemes of the fields to send next; none at the end.
  var schemes: [AuthenticationMethod] {
    (fields ?? []).map { $0.digest == nil ? .basic : .digest }
  }

  /// The outcome; nil if the exchange continues.
  var outcome: Outcome? {
    if case .finish(let outcome) = self { return outcome }
    return nil
  }

  /// The reason for the end; nil if the exchange continues.
  var reason: Outcome.Reason? { outcome?.reason }
}

extension Authenticator {
  /// Begins the exchange of a GET.
  func exchange(_ url: String, through proxy: Proxy? = nil) throws -> Exchange {
    try exchange(for: .get(url, through: proxy))
  }
}
