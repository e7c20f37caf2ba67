import CredentialVault
import FoundationEssentials
import Glibc
import Security
import VaultModel

/// The same through SecItem in Swift, with the dictionaries that programs for Apple's systems make.
struct Dictionaries {
  let stores: Stores
  let report: Report
  private static let rounds = 45

  /// Measures the functions, which open the vault that the environment names: the first one of this
  /// process.
  func lookups() throws {
    unsafe setenv("VAULTCTL_VAULT", stores.vaultPath, 1)
    unsafe setenv("VAULTCTL_KEY_FILE", stores.key, 1)
    let samples = stores.lookups.map { Sample(number: $0.number) }
    let texts = samples.map { (server: $0.server, account: $0.account) }
    let queries = samples.map(Self.query)
    let pairs = try alternating(Self.rounds) {
      try seconds { for query in queries { try find(query) } } / Double(queries.count)
    } peer: {
      try seconds {
        for sample in texts { try findNatively(sample.server, sample.account) }
      } / Double(queries.count)
    }
    report.add(
      difference: "SecItemCopyMatching of one password adds to a find by the same texts",
      stores.count, pairs, .time(3e-6))
  }

  private func find(_ query: [String: Any]) throws {
    var result: AnyObject?
    // The place is this function's own.
    guard unsafe SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess,
      let data = result as? Data, data.count == 20
    else { throw Failure("not found") }
  }

  /// Finds an item by the same attributes, given as the same texts.
  private func findNatively(_ server: String, _ account: String) throws {
    var query = ItemQuery()
    query.server = .equals(try HostName(server))
    query.account = .equals(account)
    query.protocol = .equals(try NetworkProtocol("htps"))
    let found = try stores.subject.vault.find(query, withSecrets: true)
    guard let secret = found.secret, secret.count == 20 else { throw Failure("not found") }
  }

  private static func query(_ sample: Sample) -> [String: Any] {
    [
      kSecClass as String: kSecClassInternetPassword,
      kSecAttrServer as String: sample.server,
      kSecAttrAccount as String: sample.account,
      kSecAttrProtocol as String: kSecAttrProtocolHTTPS,
      kSecMatchLimit as String: kSecMatchLimitOne,
      kSecReturnData as String: true,
    ]
  }
}
