import CVault
import CredentialVault
import TestSupport
import VaultModel

/// Behaviour of changing that only pointers show.
enum KeychainModifying {
  static func nullData(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann)
    let outcome = try outcome {
      try AttributeList([.comment: "new"]).with { list in
        // A length with NULL data.
        try driver.with(item) { try check(unsafe VaultItemModifyContent($0, list, 3, nil)) }
      }
    }
    return seen(outcome, try driver.read(.comment, of: item), try driver.secret(of: item))
  }

  static func noOp(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann)
    func state() throws -> (revision: UInt64, modified: Timestamp) {
      let item = try driver.place.vault.findAll(ItemQuery())[0]
      return (item.revision, item.modified)
    }
    let before = try state()
    driver.place.clock.pass(.seconds(60))
    try driver.with(item) { item in
      // Neither attributes nor data.
      try check(unsafe VaultItemModifyContent(item, nil, 0, nil))
      try check(unsafe VaultItemModifyAttributesAndData(item, nil, 0, nil))
    }
    try driver.modify(item, Attributes.ann, secret: "one")
    let after = try state()
    return seen(
      after.revision == before.revision ? "same revision" : "another revision",
      after.modified == before.modified ? "same date" : "another date")
  }

  static func twice(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann)
    let tag = Attribute.comment.tag
    try driver.modify(item, AttributeList([(tag, Array("first".utf8)), (tag, Array("last".utf8))]))
    return try driver.read(.comment, of: item)
  }

  // MARK: Numbers

  static func emptyNumber(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann.with(.type, "type"))
    return seen(
      try outcome { try driver.modifyContent(item, AttributeList([.type: ""])) },
      try outcome { try driver.modify(item, AttributeList([.type: ""])) },
      "“\(try driver.read(.type, of: item))”")
  }

  static func emptyKeyNumber(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann)
    return seen(
      try outcome { try driver.modify(item, AttributeList([.port: ""])) },
      try driver.read(.port, of: item))
  }

  static func widths(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann)
    let tag = Attribute.type.tag
    let numbers = try [[7], [7, 2], [4, 5, 6, 7]].map { (bytes: [UInt8]) in
      try driver.modify(item, AttributeList([(tag, bytes)]))
      return "\(Attribute.number(try driver.copy([tag], of: item)[0]))"
    }
    let others = try [[1, 2, 3], [1, 2, 3, 4, 5]].map { (bytes: [UInt8]) in
      try outcome { try driver.modify(item, AttributeList([(tag, bytes)])) }
    }
    return (numbers + others).joined(separator: ", ")
  }

  // MARK: Tags

  private static let foreign = Codes.code(kVaultServiceItemAttr)

  static func foreignTag(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann)
    let list = AttributeList([
      (Attribute.comment.tag, Array("new".utf8)), (foreign, Array("ftp".utf8)),
    ])
    return seen(
      try outcome { try driver.modifyContent(item, list) },
      try outcome { try driver.modify(item, list) }, "“\(try driver.read(.comment, of: item))”")
  }

  static func afterBadTag(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann)
    let list = AttributeList([
      (Attribute.comment.tag, Array("new".utf8)), (foreign, Array("ftp".utf8)),
    ])
    return seen(
      try outcome { try driver.modify(item, list) },
      try outcome { try driver.modify(item, [.label: "later"] as Attributes) },
      "“\(try driver.read(.comment, of: item))”")
  }

  static func label(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann)
    try driver.modify(item, [.label: "new"] as Attributes)
    let first = try driver.read(.label, of: item)
    // 7, the tag in Apple's file.
    try driver.modify(item, AttributeList([(7, Array("newer".utf8))]))
    return seen(
      first, try driver.read(.label, of: item),
      String(decoding: try driver.copy([7], of: item)[0], as: UTF8.self))
  }

  static func created(_ driver: KeychainDriver) throws -> String { try date(.created, driver) }

  static func modified(_ driver: KeychainDriver) throws -> String { try date(.modified, driver) }

  private static func date(_ date: Attribute, _ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann)
    let before = try driver.read(date, of: item)
    let outcome = try outcome {
      try driver.modify(item, AttributeList([(date.tag, Array("20010101000000Z\0".utf8))]))
    }
    return seen(outcome, try driver.read(date, of: item) == before ? "kept" : "written")
  }

  static func history(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann, secret: "one")
    try driver.modify(item, [:], secret: "two")
    let stored = try driver.place.vault.find(ItemQuery(), withSecrets: false)
    let previous = try driver.place.vault.history.entries(of: stored)
    return seen(previous.isEmpty ? "gone" : "kept", try driver.secret(of: item))
  }

  // MARK: Deleting

  static func deleteNothing(_ driver: KeychainDriver) throws -> String {
    // NULL is not an item.
    try outcome { try check(VaultItemDelete(nil)) }
  }

  static func referenceAfterDeletion(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann)
    try driver.remove(item)
    return try driver.with(item) { item in
      // Counted once more and once less; its last owner goes with the reference.
      guard let retained = unsafe VaultItemRetain(item) else { return "no item" }
      unsafe VaultItemRelease(retained)
      return "ok"
    }
  }
}
