import CVault
import CredentialVault
import SecureMemory
import TestSupport
import VaultModel

/// The scenarios of the rows of ``ItemRows``.
extension ItemRows {
  // MARK: Matching

  private static let rest: Attributes = [
    .label: "label", .comment: "comment", .kind: "kind", .creator: "crea", .type: "type",
    .invisible: "1", .negative: "1",
  ]

  static func attributes(_ driver: any Driver) throws -> String {
    try driver.add(Attributes.ann.merging(rest) { $1 })
    try driver.add(.bob)
    let right = try rest.filter { try driver.accounts([$0.key: $0.value]) == "ann" }
    return "\(right.count) of \(rest.count)"
  }

  static func attributesAndDates(_ driver: KeychainDriver) throws -> String {
    let ann = try driver.add(Attributes.ann.merging(rest) { $1 })
    driver.place.clock.pass(.seconds(60))
    try driver.add(.bob)
    var all = rest
    for date in [Attribute.created, .modified] { all[date] = try driver.read(date, of: ann) + "\0" }
    let right = try all.filter { try driver.accounts([$0.key: $0.value]) == "ann" }
    return "\(right.count) of \(all.count)"
  }

  static func largePort(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann)
    let list = AttributeList([(Attribute.port.tag, Attribute.bytes(65979))])
    return seen(try outcome { try driver.modify(item, list) }, try driver.read(.port, of: item))
  }

  static func unknownProtocols(_ driver: any Driver) throws -> String {
    try driver.add(.ann.with(.protocol, "gopher"), secret: "one")
    try driver.add(.ann.with(.protocol, "gemini"), secret: "two")
    return try ["gopher", "gemini"].map { word in
      try driver.secret(of: driver.find([.protocol: word]))
    }.joined(separator: " ")
  }

  /// Adds items with two codes that are in no table, and reads them back.
  static func unknownCodes(_ driver: KeychainDriver) throws -> String {
    let codes: [UInt32] = [0x7879_7A31, 0x5859_5A32]
    for (code, secret) in zip(codes, ["one", "two"]) {
      let item = try driver.add(.ann, secret: secret)
      try driver.modify(item, AttributeList([(Attribute.protocol.tag, Attribute.bytes(code))]))
    }
    let found = try codes.map { code in
      let list = AttributeList([(Attribute.protocol.tag, Attribute.bytes(code))])
      return try driver.search(list).next()
    }
    return seen(
      try found.map { try driver.secret(of: $0) }.joined(separator: " "),
      try driver.read(.protocol, of: found[0]))
  }

  static func subdomains(_ driver: any VaultDriver) throws -> String {
    try driver.add(.user("zoe", on: "badexample.com"))
    try driver.add(.user("ann", on: "a.example.com"))
    try driver.add(.user("bob", on: "b.example.com"))
    let query: Attributes = [.server: "EXAMPLE.com."]
    return seen(
      try driver.accounts(driver.findAll(query, .subdomains, limit: 1)),
      try driver.accounts(driver.findAll(query, .subdomains, limit: nil)))
  }

  static func referenceAndAttributes(_ driver: any VaultDriver) throws -> String {
    let ann = try driver.add(.ann)
    return seen(
      try driver.accounts(driver.findAll(ann, and: [.account: "ann"])),
      try driver.accounts(driver.findAll(ann, and: [.account: "bob"])))
  }

  static func webCredential(_ driver: any Driver) throws -> String {
    for account in ["ann", "bob"] {
      try driver.add(
        .ann.with(.account, account).with(.method, "form").with(.creator, "swca")
          .with(.label, "git.example.com (\(account))"))
    }
    try driver.add(.ann)
    let form: Attributes = [.server: "git.example.com", .method: "form"]
    return seen(try driver.first(form), try driver.first(form.with(.account, "bob")))
  }

  // MARK: Results

  static func secrets(_ driver: any Driver) throws -> String {
    try driver.add(.ann, secret: "one")
    try driver.add(.bob, secret: "two")
    let items = try (driver as? any VaultDriver)?.findAll([:], .secrets, limit: nil)
    return try (items ?? driver.findAll([:])).map { try driver.secret(of: $0) }
      .joined(separator: " ")
  }

  static func damaged(_ driver: any Driver) throws -> String {
    try driver.add(.ann)
    let before = try driver.place.damage()
    let outcome = try driver.first(.ann)
    return seen(outcome, try driver.place.contents() == before ? "unchanged" : "changed")
  }

  static func bothStores(_ driver: any Driver) throws -> String {
    try driver.add(.ann)
    try driver.add(.ann.with(.account, "zoe"))
    try driver.place.vault.add(Item(.bob, secret: "two"), persistence: .session)
    return try driver.accounts([.realm: "Team Git"])
  }

  static func customAttributes(_ driver: SwiftDriver) throws -> String {
    var item = try Item(.ann, secret: "one")
    item.custom = ["colour": "red"]
    try driver.vault.add(item, persistence: driver.store.persistence)
    let found = try driver.vault.find(ItemQuery(.ann), withSecrets: true)
    return seen(found.custom["colour"] ?? "none", found.custom["state"] ?? "empty")
  }

  static func customAttributesInC(_ driver: NativeDriver) throws -> String {
    try driver.addCustom(.ann, ["colour": "red"])
    let item = try driver.find(.ann)
    return seen(try driver.custom("colour", of: item), try driver.custom("state", of: item))
  }

  // MARK: Changing

  static func largeSecret(_ driver: any Driver) throws -> String {
    let largest = String(repeating: "x", count: 1 << 20)
    return seen(
      "\(try driver.secret(of: driver.add(.ann, secret: largest)).utf8.count)",
      try outcome { try driver.add(.bob, secret: largest + "x") })
  }

  static func transaction(_ driver: SwiftDriver) throws -> String {
    let ann = try driver.known(driver.add(.ann))
    try driver.add(.bob)
    let outcome = try outcome {
      try driver.vault.write { (transaction) throws(VaultError) in
        try transaction.modify(ann, [.comment("new")])
        try transaction.modify(ann, [.account("bob")])
      }
    }
    return seen(
      outcome, try driver.accounts(), "“\(try driver.read(.comment, of: driver.find(.ann)))”")
  }

  static func revisions(_ driver: any VaultDriver) throws -> String {
    let item = try driver.add(.ann)
    var dates: Set<String> = []
    var revisions: Set<UInt64> = []
    for comment in ["a", "b", "c"] {
      try driver.modify(item, [.comment: comment])
      dates.insert(try driver.read(.modified, of: item))
      revisions.insert(try driver.revision(of: item))
    }
    return seen("\(dates.count) date", "\(revisions.count) revisions")
  }

  static func upsert(_ driver: any VaultDriver) throws -> String {
    let outcome = try outcome {
      _ = try driver.upsert(.ann.with(.comment, "comment"), secret: "one")
    }
    let item = try driver.upsert(.ann, secret: "two")
    return seen(
      outcome, try driver.secret(of: item), try driver.read(.comment, of: item),
      "\(try driver.count([:]))")
  }

  static func upsertOtherPort(_ driver: any VaultDriver) throws -> String {
    try driver.add(.ann.with(.port, ""))
    let item = try driver.upsert(.ann.with(.port, "443"), secret: "two")
    let count = try driver.count([:])
    try driver.add(.ann.with(.port, "443"))
    return seen(try driver.secret(of: item), "\(count)", "\(try driver.count([:]))")
  }

  // MARK: Deleting

  static func removeAll(_ driver: any VaultDriver) throws -> String {
    try FindRows.bothUsers(driver)
    try driver.add(.user("zoe"))
    let deleted = try driver.removeAll([.realm: "Team Git"])
    return seen(
      "\(deleted)", try driver.accounts(), "\(try driver.removeAll([.realm: "Team Git"]))")
  }

  static func removeUnique(_ driver: SwiftDriver) throws -> String {
    try FindRows.bothUsers(driver)
    let outcome = try outcome { try driver.vault.removeUnique(ItemQuery([.realm: "Team Git"])) }
    let left = try driver.accounts()
    return seen(outcome, left, try driver.vault.removeUnique(ItemQuery([.account: "ann"])).account)
  }

  // MARK: Deleting by SecItem

  /// Adds two items of a realm, and one of none.
  private static func addThree(_ driver: KeychainDriver) throws {
    for user in ["ann", "bob"] {
      try driver.addItem(["acct": .text(user), "srvr": "a.example", "sdmn": "Team Git"])
    }
    try driver.addItem(["acct": "zoe", "srvr": "a.example"])
  }

  private static func find(_ driver: KeychainDriver, _ user: String) throws -> String {
    try outcome { _ = try driver.findItem(["acct": .text(user)]) }
  }

  static func deleteAll(_ driver: KeychainDriver) throws -> String {
    try addThree(driver)
    let query: [String: SecItemValue] = ["sdmn": "Team Git"]
    return seen(
      try outcome { try driver.deleteItem(query) }, try find(driver, "ann"),
      try find(driver, "bob"), try find(driver, "zoe"),
      try outcome { try driver.deleteItem(query) })
  }

  static func deleteOne(_ driver: KeychainDriver) throws -> String {
    try addThree(driver)
    return seen(
      try outcome {
        try driver.deleteItem(["sdmn": "Team Git", "m_Limit": "m_LimitOne"])
      }, try find(driver, "ann"), try find(driver, "bob"))
  }

  static func deleteEverything(_ driver: KeychainDriver) throws -> String {
    try addThree(driver)
    return seen(
      try outcome { try driver.deleteItem([:]) }, try outcome { _ = try driver.findItem([:]) })
  }
}
