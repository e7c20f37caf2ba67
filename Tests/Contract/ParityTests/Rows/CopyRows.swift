import CVault
/// Reading an item: `SecKeychainItemCopyContent`, `…CopyAttributesAndData`, and the functions that
/// free.
enum CopyRows {
  static let rows: [Row] = [
    Row(
      "copy.values", .copy, "Attributes are returned as they were stored.",
      by: .any(values), vault: .same(allValues), compatible: .same(allValues)),
    Row(
      "copy.optional", .copy, "Every output is optional.",
      by: .keychain(KeychainCopying.optional),
      vault: .inexpressible("Each value is read separately."), compatible: .same("ok, inet")),
    Row(
      "copy.unset", .copy, "An absent or empty value is returned as NULL with length 0.",
      by: .any(unsetValues), .keychain(KeychainCopying.unset),
      vault: .differs("Empty, or 0.", "“” “” “” “”"),
      compatible: .same("0 0 0 0, NULL"), why: "Swift and native C have no value for “absent”."),
    Row(
      "copy.number", .copy, "Numbers and types are returned in 4 bytes, and a date in 16.",
      by: .keychain(KeychainCopying.widths),
      vault: .inexpressible("Numbers are numbers, and dates milliseconds."),
      compatible: .same("port 4, protocol 4, method 4, creator 4, created 16, modified 16")),
    Row(
      "copy.number.unset", .copy,
      "Unset protocol, type and port are returned as 4 zero bytes.",
      by: .any { driver in
        "“\(try driver.read(.port, of: driver.add(.user("ann"))))”"
      }, .keychain(KeychainCopying.unsetNumbers),
      vault: .same("“”"), compatible: .same("4 4 4, 0")),
    Row(
      "copy.date", .copy, "A date is written as YYYYMMDDhhmmssZ and NUL, in UTC.",
      by: .keychain(KeychainCopying.date),
      vault: .inexpressible("Dates are milliseconds since 1970."), compatible: .same("same")),
    Row(
      "copy.unknown-attribute", .copy,
      "One attribute that the class lacks makes the whole call fail with errSecNoSuchAttr.",
      by: .native(unknownAttribute), .keychain(KeychainCopying.foreignTag),
      vault: .differs("An invalid argument.", "invalid-argument"),
      compatible: .same("no-such-attribute, untouched"),
      why: "One status covers every meaningless argument.",
      except: [.swift: "an item has properties, and no others"]),
    Row(
      "copy.kept-unset", .copy,
      "Script code, custom icon, protected data and alias are ordinary attributes.",
      by: .keychain(KeychainCopying.notKept),
      vault: .inexpressible("There are no names for them; custom attributes may have any name."),
      compatible: .differs(
        "They are always unset; setting one is errSecUnimplemented.",
        "0 0 0 0, unsupported, ok"),
      why: "Only the keychain's own programs use them."),
    Row(
      "copy.twice", .copy, "A tag that is listed twice crashes the process.",
      by: .keychain(KeychainCopying.twice),
      vault: .inexpressible("Each value is read separately."),
      compatible: .differs("Both entries are filled.", "ann, ann"),
      why: "No input crashes a process."),
    Row(
      "copy.length-alone", .copy,
      "Requesting the secret's length without its bytes returns nothing.",
      by: .keychain(KeychainCopying.lengthAlone),
      vault: .inexpressible("A secret comes with its length."),
      compatible: .differs("The length is returned.", "3"), why: "It is what was requested."),
    Row(
      "copy.secret.optional", .copy, "The secret is only opened if it is requested.",
      by: .vault(attributesOfExpired), .keychain(KeychainCopying.attributesOfExpired),
      vault: .same("ann, expired"), compatible: .same("ann, expired")),
    Row(
      "copy.secret.empty", .copy, "An empty secret has length 0.",
      by: .any { "“\(try $0.secret(of: $0.add(.ann, secret: "")))”" },
      .keychain(KeychainCopying.emptySecret), vault: .same("“”"), compatible: .same("0")),
    Row(
      "copy.class", .copy, "The item's class is returned if requested.",
      by: .keychain(KeychainCopying.itemClass),
      vault: .inexpressible("Items are internet passwords; there is no class to return."),
      compatible: .same("inet")),
    .foreign(
      "copy.floating", .copy, "An item in no keychain and without data is errSecDataNotAvailable.",
      because: "A reference is always to a stored item."),
    Row(
      "copy.deleted", .copy, "Reading through a stale reference is one of three errors.",
      by: .any(deleted), vault: .differs("Always the same error.", "item-not-found"),
      compatible: .differs("Always errSecItemNotFound.", "item-not-found"),
      why: "One state has one result."),
    Row(
      "free.content", .copy,
      "Freeing sets a list's pointers to NULL and keeps the list and its lengths; NULL is accepted.",
      by: .native(freeBuffer), .keychain(KeychainCopying.free),
      vault: .differs(
        "A buffer is emptied completely, so a second call does nothing.", "0, NULL, ok"),
      compatible: .same("ok, NULL, 3, ok"), why: "A length without bytes invites reading them.",
      except: [.swift: "a secret wipes itself with its last reference"]),
    Row(
      "copy.info", .copy,
      "CopyAttributesAndData takes tags, the label as 'labl' or as 7, and allocates the list.",
      by: .keychain(KeychainCopying.info),
      vault: .inexpressible("Each value is read separately."),
      compatible: .same("ann, label, label, one")),
    Row(
      "copy.info.null", .copy, "Without tags, the list is unchanged.",
      by: .keychain(KeychainCopying.noInfo),
      vault: .inexpressible("Each value is read separately."), compatible: .same("untouched, one")),
    Row(
      "copy.info.of-class", .copy, "AttributeInfoForItemID lists the tags of a class.",
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
