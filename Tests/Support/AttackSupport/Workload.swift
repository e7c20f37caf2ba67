package import SecureMemory
package import VaultModel

/// Operations by number, and a vault's content after each of them, by which a killed writer is
/// judged.
package enum Workload: String, CaseIterable, Sendable {
  case add
  case modify
  case remove
  /// Replaces a secret that has a row of its own by another, longer each time.
  case large
  /// Adds two items, removes two, and changes one, in one transaction.
  case batch

  /// The initial number of items, unless the workload removes items.
  package static let baseCount = 40

  package static func item(_ account: String, _ secret: String) -> Item {
    let host = account.utf8.reduce(0) { $0 &* 31 &+ Int($1) } & 7
    return Item(
      server: HostName(canonical: "host\(host).example.com"), account: account,
      secret: Secret(secret),
      protocol: .https, port: 443)
  }

  /// The items of a new vault.
  package var base: [Item] { base(self == .remove ? 1200 : Self.baseCount) }

  /// Returns `count` items for a new vault.
  package func base(_ count: Int) -> [Item] {
    (0..<count).map { Self.item("base\($0)", "first") }
  }

  /// Returns the secret after operation `number`.
  private func secret(_ number: Int) -> String {
    let secret = "secret of \(number)"
    return self == .large ? String(repeating: secret, count: 150 + number) : secret
  }

  /// Returns the additions, changes (account and new secret) and removals of operation `number`.
  private func change(
    _ number: Int
  ) -> (added: [String], modified: String?, removed: [String]) {
    switch self {
    case .add: (["add\(number)"], nil, [])
    case .modify: ([], "base\(number % Self.baseCount)", [])
    case .large: ([], "base0", [])
    case .remove: ([], nil, ["base\(number)"])
    case .batch:
      (
        ["left\(number)", "right\(number)"], "base\(number % Self.baseCount)",
        number > 0 ? ["left\(number - 1)", "right\(number - 1)"] : []
      )
    }
  }

  /// Items on as many servers: whatever the vault's key, none of its buckets is empty.
  package static let spread = (0..<baseCount).map { number in
    Item(
      server: HostName(canonical: "host\(number).example.org"), account: "base\(number)",
      secret: Secret("first"))
  }

  /// Returns account and secret of every item after the first `count` operations, of which one may
  /// have failed; the initial items are all of ``base``, or the given number of them.
  package func state(
    after count: Int, without failed: Int? = nil, of items: Int? = nil
  ) -> [String: String] {
    let base = items.map { self.base($0) } ?? base
    var state = Dictionary(uniqueKeysWithValues: base.map { ($0.account, "first") })
    for number in 0..<count where number != failed {
      let change = change(number)
      for account in change.added { state[account] = secret(number) }
      if let account = change.modified { state[account] = secret(number) }
      for account in change.removed { state[account] = nil }
    }
    return state
  }

  /// Performs operation `number` with the given functions.
  package func perform(
    _ number: Int, add: (Item) throws(VaultError) -> Void,
    modify: (ItemQuery, Secret) throws(VaultError) -> Void,
    remove: (ItemQuery) throws(VaultError) -> Void
  ) throws(VaultError) {
    let change = change(number)
    let secret = secret(number)
    for account in change.added { try add(Self.item(account, secret)) }
    if let account = change.modified {
      try modify(ItemQuery(key: Self.item(account, "").key), Secret(secret))
    }
    for account in change.removed { try remove(ItemQuery(key: Self.item(account, "").key)) }
  }
}

extension Secret {
  /// A test's secret as text.
  package var text: String {
    withRawBytes { bytes in
      // The offsets are below the span's count.
      String(
        decoding: (0..<bytes.byteCount).map {
          unsafe bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self)
        },
        as: UTF8.self)
    }
  }
}
