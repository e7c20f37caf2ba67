import CVault
import CredentialVault
import SecureMemory
import TestSupport
import VaultModel

/// Behaviour of reading that only pointers show.
enum KeychainCopying {
  static func optional(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann)
    return seen(
      try outcome {
        // No output at all.
        try driver.with(item) { try check(unsafe VaultItemCopyContent($0, nil, nil, nil, nil)) }
      }, try itemClass(driver, of: item))
  }

  static func itemClass(_ driver: KeychainDriver) throws -> String {
    try itemClass(driver, of: driver.add(.ann))
  }

  private static func itemClass(_ driver: KeychainDriver, of item: Reference) throws -> String {
    var itemClass: UInt32 = 0
    try driver.with(item) { try check(unsafe VaultItemCopyContent($0, &itemClass, nil, nil, nil)) }
    return FourCharacterCode(rawValue: itemClass).description
  }

  // MARK: Values

  static func unset(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.user("ann"))
    let tags = [Attribute.realm, .path, .comment, .creator].map(\.tag)
    return seen(try lengths(tags, of: item, driver), try data(tags[0], of: item, driver))
  }

  static func unsetNumbers(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.user("ann"))
    let tags = [Attribute.protocol, .method, .port].map(\.tag)
    let sum = try driver.copy(tags, of: item).joined().reduce(0) { $0 + Int($1) }
    return seen(try lengths(tags, of: item, driver), "\(sum)")
  }

  static func notKept(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann)
    let tags = [
      kVaultScriptCodeItemAttr, kVaultCustomIconItemAttr, kVaultProtectedDataItemAttr, kVaultAlias,
    ].map(Codes.code)
    func set(_ value: [UInt8]) throws -> String {
      try outcome { try driver.modify(item, AttributeList([(tags[3], value)])) }
    }
    return seen(try lengths(tags, of: item, driver), try set(Array("alias".utf8)), try set([]))
  }

  static func widths(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann.with(.creator, "crea"))
    let attributes = [Attribute.port, .protocol, .method, .creator, .created, .modified]
    return try attributes.map { "\($0) \(try driver.copy([$0.tag], of: item)[0].count)" }
      .joined(separator: ", ")
  }

  static func date(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann)
    let created = try driver.place.vault.findAll(ItemQuery())[0].created
    let digits = created.rfc3339.prefix(19).filter(\.isNumber)
    let copied = try driver.copy([Attribute.created.tag], of: item)[0]
    return copied == Array("\(digits)Z\0".utf8) ? "same" : "\(copied)"
  }

  static func foreignTag(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann)
    let tags = [Attribute.account.tag, Codes.code(kVaultServiceItemAttr)]
    return try withList(tags) { list in
      let outcome = try outcome {
        // The list is valid within this closure.
        try driver.with(item) { try check(unsafe VaultItemCopyContent($0, nil, list, nil, nil)) }
      }
      let isSame = unsafe list.pointee.attr?.pointee.data == nil
      return seen(outcome, isSame ? "untouched" : "touched")
    }
  }

  static func twice(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann)
    let values = try driver.copy([Attribute.account.tag, Attribute.account.tag], of: item)
    return values.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ", ")
  }

  // MARK: Secrets

  static func lengthAlone(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann)
    var length: UInt32 = 0
    try driver.with(item) { try check(unsafe VaultItemCopyContent($0, nil, nil, &length, nil)) }
    return "\(length)"
  }

  static func attributesOfExpired(_ driver: KeychainDriver) throws -> String {
    var item = try Item(.ann, secret: "one")
    item.expires = Timestamp(seconds: 5)
    try driver.place.vault.add(item, persistence: driver.store.persistence)
    let found = try driver.find(.ann)
    return seen(
      try driver.read(.account, of: found), try attempt { try driver.secret(of: found) })
  }

  static func emptySecret(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann, secret: "")
    var length: UInt32 = 77
    var data: UnsafeMutableRawPointer?
    try driver.with(item) { try check(unsafe VaultItemCopyContent($0, nil, nil, &length, &data)) }
    unsafe VaultItemFreeContent(nil, data)
    return "\(length)"
  }

  // MARK: Lists

  static func free(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann)
    return try withList([Attribute.account.tag]) { list in
      // The list is valid within this closure.
      try driver.with(item) { try check(unsafe VaultItemCopyContent($0, nil, list, nil, nil)) }
      let status = try outcome { try check(unsafe VaultItemFreeContent(list, nil)) }
      let data = unsafe list.pointee.attr?.pointee.data == nil ? "NULL" : "a pointer"
      let length = unsafe list.pointee.attr?.pointee.length ?? 0
      return seen(
        status, data, "\(length)", try outcome { try check(VaultItemFreeContent(nil, nil)) })
    }
  }

  static func info(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann.with(.label, "label"))
    var tags = [Attribute.account.tag, Attribute.label.tag, 7]
    return try unsafe tags.withUnsafeMutableBufferPointer { tags in
      // The tags are valid within this closure, and the list is freed before it is left.
      var info = unsafe VaultAttributeInfo(
        count: UInt32(tags.count), tag: tags.baseAddress, format: nil)
      var list: UnsafeMutablePointer<VaultAttributeList>?
      var length: UInt32 = 0
      var data: UnsafeMutableRawPointer?
      try driver.with(item) {
        try check(unsafe VaultItemCopyAttributesAndData($0, &info, nil, &list, &length, &data))
      }
      defer { unsafe VaultItemFreeAttributesAndData(list, data) }
      var texts: [String] = []
      for index in 0..<(unsafe Int(list?.pointee.count ?? 0)) {
        guard let attribute = unsafe list?.pointee.attr?[index] else { continue }
        texts.append(unsafe text(attribute.data, attribute.length))
      }
      texts.append(unsafe text(data, length))
      return texts.joined(separator: ", ")
    }
  }

  static func noInfo(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann)
    // Stands for what was there before; nothing reads through it.
    let before = unsafe UnsafeMutablePointer<VaultAttributeList>(bitPattern: 16)
    var list = unsafe before
    var length: UInt32 = 0
    var data: UnsafeMutableRawPointer?
    try driver.with(item) {
      try check(unsafe VaultItemCopyAttributesAndData($0, nil, nil, &list, &length, &data))
    }
    defer { unsafe VaultItemFreeAttributesAndData(nil, data) }
    return seen(unsafe list == before ? "untouched" : "touched", unsafe text(data, length))
  }

  // MARK: Parts

  private static func lengths(
    _ tags: [UInt32], of item: Reference, _ driver: KeychainDriver
  ) throws -> String {
    try driver.copy(tags, of: item).map { "\($0.count)" }.joined(separator: " ")
  }

  /// Returns whether an attribute comes back as NULL.
  private static func data(
    _ tag: UInt32, of item: Reference, _ driver: KeychainDriver
  ) throws -> String {
    try withList([tag]) { list in
      // The list is valid within this closure, and what it holds is freed before it is left.
      try driver.with(item) { try check(unsafe VaultItemCopyContent($0, nil, list, nil, nil)) }
      defer { unsafe VaultItemFreeContent(list, nil) }
      return unsafe list.pointee.attr?.pointee.data == nil ? "NULL" : "a pointer"
    }
  }

  /// Calls `body` with a list of tags without values, which is only valid until it returns.
  @safe private static func withList<R>(
    _ tags: [UInt32], _ body: (UnsafeMutablePointer<VaultAttributeList>) throws -> R
  ) throws -> R {
    var attributes = unsafe tags.map { unsafe VaultAttribute(tag: $0, length: 0, data: nil) }
    return try unsafe attributes.withUnsafeMutableBufferPointer { attributes in
      var list = unsafe VaultAttributeList(
        count: UInt32(attributes.count), attr: attributes.baseAddress)
      return try unsafe body(&list)
    }
  }

  /// Returns bytes that the library gave out, as text.
  private static func text(_ data: UnsafeMutableRawPointer?, _ length: UInt32) -> String {
    // The library says how many bytes there are.
    unsafe String(
      decoding: UnsafeRawBufferPointer(start: data, count: Int(length)), as: UTF8.self)
  }
}
