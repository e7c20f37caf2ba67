/// Reading an item: `SecKeychainItemCopyContent`, `…CopyAttributesAndData`, and the functions that
/// free.
enum CopyRows {
  static let rows: [Row] = [
    Row(
      "copy.values", .copy, "Attributes come back as they were stored.",
      by: .any(values), vault: .same(allValues), compatible: .same(allValues)),
    Row(
      "copy.optional", .copy, "Every output is optional.",
      by: .keychain(KeychainCopying.optional),
      vault: .inexpressible("Each value is read by itself."), compatible: .same("ok, inet")),
    Row(
      "copy.unset", .copy, "An absent or empty value comes back as NULL with the length 0.",
      by: .any(unsetValues), .keychain(KeychainCopying.unset),
      vault: .differs("Empty, or 0.", "“” “” “” “”"),
      compatible: .same("0 0 0 0, NULL"), why: "Swift and native C have no value for absent."),
    Row(
      "copy.number", .copy, "Numbers and types come back in 4 bytes, and a date in 16.",
      by: .keychain(KeychainCopying.widths),
      vault: .inexpressible("Numbers are numbers, and dates milliseconds."),
      compatible: .same("port 4, protocol 4, method 4, creator 4, created 16, modified 16")),
    Row(
      "copy.number.unset", .copy,
      "Protocol, type and port that are unset come back as 4 bytes of 0.",
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
      "One attribute that the class lacks fails the whole call with errSecNoSuchAttr.",
      by: .native(unknownAttribute), .keychain(KeychainCopying.foreignTag),
      vault: .differs("An invalid argument.", "invalid-argument"),
      compatible: .same("no-such-attribute, untouched"),
      why: "One status says that an argument has no meaning.",
      except: [.swift: "an item has properties, and no others"]),
    Row(
      "copy.kept-unset", .copy,
      "Script code, custom icon, protected data and alias are attributes like others.",
      by: .keychain(KeychainCopying.notKept),
      vault: .inexpressible("There are no names for them; custom attributes have any name."),
      compatible: .differs(
        "They are always unset; giving one a value is errSecUnimplemented.",
        "0 0 0 0, unsupported, ok"),
      why: "Nothing but the keychain's own programs uses them."),
    Row(
      "copy.twice", .copy, "A tag that is listed twice ends the process.",
      by: .keychain(KeychainCopying.twice),
      vault: .inexpressible("Each value is read by itself."),
      compatible: .differs("Both places are filled.", "ann, ann"),
      why: "No input ends a process."),
    Row(
      "copy.length-alone", .copy, "Asking for the secret's length without its bytes gives nothing.",
      by: .keychain(KeychainCopying.lengthAlone),
      vault: .inexpressible("A secret comes with its length."),
      compatible: .differs("The length is given.", "3"), why: "It is what was asked for."),
    Row(
      "copy.secret.optional", .copy, "The secret is opened only if it is asked for.",
      by: .vault(attributesOfExpired), .keychain(KeychainCopying.attributesOfExpired),
      vault: .same("ann, expired"), compatible: .same("ann, expired")),
    Row(
      "copy.secret.empty", .copy, "An empty secret has the length 0.",
      by: .any { "“\(try $0.secret(of: $0.add(.ann, secret: "")))”" },
      .keychain(KeychainCopying.emptySecret), vault: .same("“”"), compatible: .same("0")),
    Row(
      "copy.class", .copy, "The class of the item is told if it is asked for.",
      by: .keychain(KeychainCopying.itemClass),
      vault: .inexpressible("Items are internet passwords; there is no class to tell."),
      compatible: .same("inet")),
    .foreign(
      "copy.floating", .copy, "An item in no keychain and without data is errSecDataNotAvailable.",
      because: "A reference is always to an item that was stored."),
    Row(
      "copy.deleted", .copy, "Reading through a stale reference is one of three errors.",
      by: .any(deleted), vault: .differs("Always the one error.", "item-not-found"),
      compatible: .differs("Always errSecItemNotFound.", "item-not-found"),
      why: "One state has one answer."),
    Row(
      "free.content", .copy,
      "Freeing sets the pointers of a list to NULL and leaves the list and its lengths; NULL is fine.",
      by: .native(freeBuffer), .keychain(KeychainCopying.free),
      vault: .differs(
        "A buffer is emptied whole, so that a second call does nothing.", "0, NULL, ok"),
      compatible: .same("ok, NULL, 3, ok"), why: "A length without bytes invites to read them.",
      except: [.swift: "a secret wipes itself with its last reference"]),
    Row(
      "copy.info", .copy,
      "CopyAttributesAndData takes tags, the label as 'labl' or as 7, and makes the list.",
      by: .keychain(KeychainCopying.info),
      vault: .inexpressible("Each value is read by itself."),
      compatible: .same("ann, label, label, one")),
    Row(
      "copy.info.null", .copy, "Without tags the list is left as it was.",
      by: .keychain(KeychainCopying.noInfo),
      vault: .inexpressible("Each value is read by itself."), compatible: .same("untouched, one")),
    .foreign(
      "copy.info.of-class", .copy, "AttributeInfoForItemID lists the tags of a class.",
      because: "The tags are those of this page; there is one class."),
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
