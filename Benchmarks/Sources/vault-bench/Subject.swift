import CredentialVault
import SecureMemory
import VaultModel

/// The vault, through the public façade only.
struct Subject: Sendable {
  let vault: Vault

  init(path: String, key: String, creating: Bool = false) throws {
    vault =
      creating
      ? try Vault.create(path: path, key: .keyFile(key))
      : try Vault.open(path: path, key: .keyFile(key))
  }

  func insertAll(_ items: [Item]) throws {
    try vault.write { transaction in
      for item in items { try transaction.add(item) }
    }
  }

  /// Finds an item, opens its secret and adds up its bytes; nil if there is no such item.
  func find(_ space: ProtectionSpace, _ account: String) throws -> Int? {
    let found = try vault.findAll(Sample.query(space, account), withSecrets: true)
    guard let first = found.first else { return nil }
    guard found.count == 1, let secret = first.secret else { throw Failure("two items") }
    return Self.sum(secret)
  }

  static func sum(_ secret: Secret) -> Int {
    // The span's bytes are only read here.
    secret.withBytes { bytes in unsafe bytes.bytes.withUnsafeBytes { unsafe vault_bench.sum($0) } }
  }
}
