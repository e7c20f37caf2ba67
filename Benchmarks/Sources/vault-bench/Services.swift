import CredentialVault
import SecureMemory
import VaultModel

/// Finding generic passwords by service and account, against internet passwords by host and user.
///
/// Both are as many, with the same texts, in files of their own: two on each host or service.
struct Services {
  let stores: Stores
  let report: Report
  private static let rounds = 15

  func lookups() throws {
    let path = "\(stores.folder)/services.vault"
    let services = try Vault.create(path: path, key: .keyFile(stores.key))
    defer {
      try? services.close()
      Stores.remove(path)
    }
    try services.write { transaction in
      for sample in Sample.shuffled(0..<stores.count) {
        var item = Item(
          service: sample.server, account: sample.account, secret: Secret(sample.secret))
        item.label = sample.label
        try transaction.add(item)
      }
    }
    let pairs = try alternating(Self.rounds) {
      try seconds {
        for lookup in stores.lookups {
          let query = ItemQuery(
            service: lookup.space.host.name, account: lookup.account)
          try Self.check(services.find(query, withSecrets: true).secret)
        }
      } / Double(stores.lookups.count)
    } peer: {
      try seconds {
        for lookup in stores.lookups {
          var query = ItemQuery()
          query.server = .equals(lookup.space.host)
          query.account = .equals(lookup.account)
          try Self.check(stores.subject.vault.find(query, withSecrets: true).secret)
        }
      } / Double(stores.lookups.count)
    }
    report.add(
      "find by service and account, warm; against the vault's find by host and user",
      stores.count, pairs, .ratio(1.1))
  }

  private static func check(_ secret: Secret?) throws {
    guard let secret, Subject.sum(secret) > 0 else { throw Failure("not found") }
  }
}
