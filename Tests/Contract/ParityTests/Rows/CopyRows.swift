import CVault
/// Reading an item: `SecKeychainItemCopyContent`, `…CopyAttributesAndData`, and the functions that
/// free.
enum CopyRows {
  static let rows: [Row] = [
    Row(
      "copy.values", .copy, "Attributes return as stored.",
      by: .any(values), vault: .same(allValues), compatible: .same(allValues)),
    Row(
      "copy.optional", .copy, "Every output is optional.",
      by: .keychain(KeychainCopying.optional),
      vault: .inexpressible("Each value is read separately."), compatible: .same("ok, inet")),
    Row(
      "copy.unset", .copy, "Absent and empty are NULL with length 0.",
      by: .any(unsetValues), .keychain(KeychainCopying.unset),
      vault: .differs("Empty, or 0.", "“” “” “” “”"),
      compatible: .same("0 0 0 0, NULL"), why: "Absent is empty."),
    Row(
      "copy.number", .copy, "Numbers and types have 4 bytes, a date 16.",
      by: .keychain(KeychainCopying.widths),
      vault: .inexpressible("Numbers are numbers, and dates milliseconds."),
      compatible: .same("port 4, protocol 4, method 4, creator 4, created 16, modified 16")),
    Row(
      "copy.number.unset", .copy,
      "Unset protocol, type and port are 4 zero bytes.",
      by: .any { driver in
        "“\(try driver.read(.port, of: driver.add(.user("ann"))))”"
      }, .keychain(KeychainCopying.unsetNumbers),
      vault: .same("“”"), compatible: .same("4 4 4, 0")),
    Row(
      "copy.date", .copy, "A date is YYYYMMDDhhmmssZ and NUL, in UTC.",
      by: .keychain(KeychainCopying.date),
      vault: .inexpressible("Dates are milliseconds since 1970."), compatible: .same("same")),
    Row(
      "copy.unknown-attribute", .copy,
      "An attribute that the class lacks fails the call: errSecNoSuchAttr.",
      by: .native(unknownAttribute), .keychain(KeychainCopying.foreignTag),
      vault: .differs("An invalid argument.", "invalid-argument"),
      compatible: .same("no-such-attribute, untouched"),
      why: "One status for one mistake.",
      except: [.swift: "an item has properties, and no others"]),
    Row(
      "copy.kept-unset", .copy,
      "Script code, custom icon, protected data, alias are attributes.",
      by: .keychain(KeychainCopying.notKept),
      vault: .inexpressible("There are no names for them; custom attributes may have any name."),
      compatible: .differs(
        "Always unset; setting one is errSecUnimplemented.",
        "0 0 0 0, unsupported, ok"),
      why: "Only Apple's programs use them."),
    Row(
      "copy.twice", .copy, "A tag twice crashes.",
      by: .keychain(KeychainCopying.twice),
      vault: .inexpressible("Each value is read separately."),
      compatible: .differs("Both are filled.", "ann, ann"),
      why: "No input crashes."),
    Row(
      "copy.length-alone", .copy,
      "The length without the bytes returns nothing.",
      by: .keychain(KeychainCopying.lengthAlone),
      vault: .inexpressible("A secret comes with its length."),
      compatible: .differs("The length.", "3"), why: "It was asked for."),
    Row(
      "copy.secret.optional", .copy, "A secret is opened on request.",
      by: .vault(attributesOfExpired), .keychain(KeychainCopying.attributesOfExpired),
      vault: .same("ann, expired"), compatible: .same("ann, expired")),
    Row(
      "copy.secret.empty", .copy, "An empty secret has length 0.",
      by: .any { "“\(try $0.secret(of: $0.add(.ann, secret: "")))”" },
      .keychain(KeychainCopying.emptySecret), vault: .same("“”"), compatible: .same("0")),
    Row(
      "copy.class", .copy, "The class is returned on request.",
      by: .keychain(KeychainCopying.itemClass),
      vault: .inexpressible("Items are internet passwords; there is no class to return."),
      compatible: .same("inet")),
    .foreign(
      "copy.floating", .copy, "An item in no keychain, without data, is errSecDataNotAvailable.",
      because: "Every item is stored."),
    Row(
      "copy.deleted", .copy, "Reading a deleted item is one of three errors.",
      by: .any(deleted), vault: .differs("One (errSecItemNotFound).", "item-not-found"),
      compatible: .differs("One (errSecItemNotFound).", "item-not-found"),
      why: "One state, one result."),
    Row(
      "free.content", .copy,
      "Freeing keeps a list's lengths; NULL is accepted.",
      by: .native(freeBuffer), .keychain(KeychainCopying.free),
      vault: .differs(
        "A buffer is emptied; a second call does nothing.", "0, NULL, ok"),
      compatible: .same("ok, NULL, 3, ok"), why: "A length without bytes invites reading them.",
      except: [.swift: "a secret wipes itself with its last reference"]),
    Row(
      "copy.info", .copy,
      "CopyAttributesAndData takes tags, and allocates the list.",
      by: .keychain(KeychainCopying.info),
      vault: .inexpressible("Each value is read separately."),
      compatible: .same("ann, label, label, one")),
    Row(
      "copy.info.null", .copy, "Without tags there is no list.",
      by: .keychain(KeychainCopying.noInfo),
      vault: .inexpressible("Each value is read separately."), compatible: .same("untouched, one")),
    Row(
      "copy.info.of-class", .copy, "AttributeInfoForItemID lists a class's tags.",
      by: .keychain { _ in
        var info: UnsafeMutablePointer<VaultAttributeInfo>?
        // The place is this function's own, and what is written there freed at the end.
        try check(
          unsafe VaultAttributeInfoForItemID(
            nil, UInt32(kVaultInternetPasswordItemClass), &info))
        defer { unsafe VaultFreeAttributeInfo(info) }
        return unsafe "\(info?.pointee.count ?? 0) tags"
      }, vault: .inexpressible("Attributes are properties."), compatible: .same("20 tags"),
      alone: true),
  ]

  private static let everything: Attributes = Attributes.ann.merging([
    .label: "label", .comment: "comment", .kind: "kind", .creator: "crea", .type: "type",
    .invisible: "1", .negative: "1",
  ]) { $1 }

  private static let allValues =
    "ann Team Git git.example.com https basic 8443 /team label comment kind crea type 1 1"

  static func values(_ driver: any Driver) throws -> String {
    try driver.add(everything)
    let item = try driver.find(.ann)
    return try Attribute.allCases.filter { ![.created, .modified].contains($0) }
      .map { try driver.read($0, of: item) }.joined(separator: " ")
  }

  static func unsetValues(_ driver: any Driver) throws -> String {
    let item = try driver.add(.user("ann"))
    return try [Attribute.realm, .path, .comment, .creator].map {
      "“\(try driver.read($0, of: item))”"
    }
    .joined(separator: " ")
  }

  static func unknownAttribute(_ driver: NativeDriver) throws -> String {
    try outcome { try driver.readUnknownAttribute(driver.add(.ann)) }
  }

  static func attributesOfExpired(_ driver: any VaultDriver) throws -> String {
    let item = try driver.addExpired(.ann)
    return seen(
      try driver.read(.account, of: item), try attempt { try driver.secret(of: item) })
  }

  static func deleted(_ driver: any Driver) throws -> String {
    let item = try driver.add(.ann)
    try driver.remove(driver.find(.ann))
    return try attempt { try driver.read(.account, of: item) }
  }

  static func freeBuffer(_ driver: NativeDriver) throws -> String {
    try driver.freeTwice(driver.add(.ann))
  }
}
