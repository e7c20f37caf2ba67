import CredentialVault
import VaultModel

/// Finding: `SecKeychainFindInternetPassword` and searches by attributes.
enum FindRows {
  static let rows: [Row] =
    Attribute.key.flatMap { [anyRow($0), zeroRow($0)] } + [
      Row(
        "find.nothing-named", .find, "Without any parameter, every internet password matches.",
        by: .any(nothingNamed), vault: .same("ann bob"), compatible: .same("ann bob")),
      Row(
        "find.all-named", .find, "Parameters are combined with “and”, and none is mandatory.",
        by: .any(allNamed), vault: .same("bob, item-not-found"),
        compatible: .same("bob, item-not-found")),
      Row(
        "find.text.exact", .find,
        "Account, security domain and path are compared byte by byte, with their lengths.",
        by: .any(exactText), vault: .same("ann"), compatible: .same("ann")),
      Row(
        "find.number.exact", .find, "Port, protocol and authentication type match as they are.",
        by: .any(exactNumbers), vault: .same("ann"), compatible: .same("ann")),
      Row(
        "find.path.length", .find, "The length of the path is ignored; strlen() is used instead.",
        by: .any(pathLength), .keychain(KeychainFinding.pathLength),
        vault: .differs("The given length is used.", "ann"),
        compatible: .differs("The given length is used.", "ann"),
        why: "Adding respects it, and a buffer need not end in NUL."),
      Row(
        "find.method.default", .find,
        "The type Default is a value like any other: HTTPBasic does not find it, and it does not find HTTPBasic.",
        by: .any(defaultMethod), vault: .same("bob, ann"), compatible: .same("bob, ann")),
      Row(
        "find.method.default-of-space", .find, "Nothing falls back from a type to Default.",
        by: .vault(defaultOfSpace),
        vault: .differs(
          "A query by protection space accepts Default for any password method, ranked below an exact one.",
          "zoe ann"),
        compatible: .inexpressible("Finding has no query by space."),
        why: "A challenged client finds items that were stored without a known method."),
      Row(
        "find.port.default-of-space", .find,
        "Port 0 and the protocol's default port are unrelated.",
        by: .vault(portOfSpace),
        vault: .differs(
          "A query by protection space treats an unset port as the protocol's default, ranked below a literal one.",
          "zoe ann"),
        compatible: .inexpressible("Finding has no query by space."),
        why: "`https://host` and `https://host:443` are the same place."),
      Row(
        "find.path.requested", .find, "A path only matches itself, not the paths below it.",
        by: .swift(pathRequested), .native(pathRequestedInC),
        vault: .differs(
          "If a request's path is known, items with a path at or above it match, longest path first, and items without a path last.",
          "team none, none"),
        compatible: .inexpressible("Finding takes a path literally."),
        why: "A password stored for one path of a server does not apply to another."),
      Row(
        "find.several", .find,
        "If several match, there is no error: the caller gets one of them.",
        by: .vault(several), .keychain(severalInKeychain),
        vault: .differs(
          "`find` returns the best match; `findUnique` fails and names all of equal rank.",
          "ann, ambiguous"),
        compatible: .same("ann"),
        why: "A program that needs one specific credential must not get another by chance."),
      Row(
        "find.order", .find,
        "The order depends on the index used and on the last write.",
        by: .any(order),
        vault: .differs(
          "The best match, then the order of the key, regardless of writes.", order1),
        compatible: .differs("The order of the key.", order1),
        why: "An answer that changes with unrelated writes cannot be relied on."),
      Row(
        "find.order.key", .find,
        "With only an account, matches are sorted by account, domain, server, protocol, type, port, path: protocols by the numbers and types by the bytes of their codes, `htps` before `http`.",
        by: .any(orderOfKey),
        vault: .differs(
          "By the same parts, but encrypted protocols are first, and the names are compared.",
          "1 2 3 4 5 6 7 8, ftps https ftp http"),
        compatible: .differs(
          "By the same parts, but encrypted protocols are first, and the names are compared.",
          "1 2 3 4 5 6 7 8, ftps https ftp http"),
        why: "The letters of a code must not decide that a plain protocol's password is used."),
      Row(
        "find.twice", .find, "Naming an attribute twice is errSecInvalidQuery.",
        by: .native(namedTwice), .keychain(KeychainFinding.namedTwice),
        vault: .differs("The last value is used.", "bob"), compatible: .same("invalid-query"),
        why: "A query is a set of named values.",
        except: [.swift: "a query has one property for each attribute"]),
      Row(
        "find.not-found", .find,
        "If nothing is found, the result is errSecItemNotFound and the outputs are unchanged.",
        by: .any { try $0.first(.ann) }, .keychain(KeychainFinding.untouched),
        vault: .same("item-not-found"), compatible: .same("item-not-found, untouched")),
      Row(
        "find.secret.optional", .find,
        "The secret is only opened if its length or its bytes are requested.",
        by: .vault(secretsAskedFor), .keychain(KeychainFinding.secretOptional),
        vault: .same("ann, expired"), compatible: .same("ann, one")),
      Row(
        "find.secret.length-alone", .find, "Requesting only the length leaks the secret's bytes.",
        by: .keychain(KeychainFinding.lengthAlone),
        vault: .inexpressible("A secret comes with its length."),
        compatible: .differs("The length is returned, and nothing else is allocated.", "3"),
        why: "Leaking a secret is not a behaviour to preserve."),
      Row(
        "find.secret.empty", .find, "An empty secret has length 0.",
        by: .any(emptySecret), .keychain(KeychainFinding.emptySecret), vault: .same("“”"),
        compatible: .same("0")),
      Row(
        "find.secret.bytes", .find,
        "A secret consists of arbitrary bytes without a terminating NUL.",
        by: .any(binarySecret), vault: .same("a\\0b"), compatible: .same("a\\0b")),
      Row(
        "find.item.counted", .find,
        "The item is retained for the caller; NULL omits it.",
        by: .keychain(KeychainFinding.counted),
        vault: .inexpressible("Finding always returns the item; C counts handles itself."),
        compatible: .same("ann, ok")),
      Row(
        "find.locked", .find,
        "Attributes can be found while the keychain is locked; only the secret needs unlocking.",
        by: .any(locked),
        vault: .differs("Nothing is found while the vault is locked.", "locked, ann"),
        compatible: .differs("errSecInteractionNotAllowed.", "locked, ann"),
        why:
          "Attributes are sealed like the secret: a locked vault does not reveal which servers you use.",
        except: [.session: "locking clears the session"]),
      Row(
        "find.locked.no-prompt", .find,
        "In a program that allows no prompt, reading and unlocking a locked keychain without its password are errSecAuthFailed.",
        by: .keychain(KeychainFinding.lockedWithoutPrompt),
        vault: .inexpressible("There is no prompt to allow."),
        compatible: .same("authentication-failed, authentication-failed, locked"),
        except: [.session: "locking clears the session"], alone: true),
      Row(
        "find.where.default", .find,
        "NULL searches the keychain lists of the user and the system.",
        by: .keychain(KeychainFinding.defaultVault),
        vault: .inexpressible("The object whose function is called is the vault."),
        compatible: .differs(
          "NULL searches the list of the user's configuration or of the process, else the default vault.",
          "ann, item-not-found, bob"),
        why: "There is no vault of the system.",
        except: [.session: "the default vault is a file"], alone: true),
      Row(
        "find.where.list", .find, "An array is searched in its order, and the first hit wins.",
        by: .keychain(KeychainFinding.list),
        vault: .inexpressible("Each query is to one vault; a program queries several in turn."),
        compatible: .same("own, other")),
      Row(
        "find.where.other", .find,
        "Anything other than a keychain, an array or NULL is errSecParam.",
        by: .keychain(KeychainFinding.notAVault),
        vault: .inexpressible("The object whose function is called is the vault."),
        compatible: .same("invalid-argument")),
      Row(
        "find.where.failing", .find,
        "A keychain that cannot be searched is skipped, and only reported if all fail.",
        by: .keychain(KeychainFinding.lockedInList),
        vault: .inexpressible("Each query is to one vault."),
        compatible: .differs("A vault that cannot be searched is an error.", "locked"),
        why: "“Not found” would be reported for a vault that was never searched.",
        except: [.session: "locking clears the session"]),
      Row(
        "search.nothing", .find, "A search without attributes returns all items of the class.",
        by: .any { driver in
          try bothUsers(driver)
          return try driver.accounts()
        }, vault: .same("ann bob"), compatible: .same("ann bob")),
      Row(
        "search.unset", .find, "In a search, a value of length 0 only matches unset attributes.",
        by: .any(searchUnset), vault: .same("bob"), compatible: .same("bob")),
      Row(
        "search.unknown-attribute", .find,
        "Searching by an attribute that the class lacks is errSecNoSuchAttr.",
        by: .native(unknownAttribute), .keychain(KeychainFinding.foreignTag),
        vault: .differs("An invalid argument.", "invalid-argument"),
        compatible: .same("no-such-attribute"),
        why: "One status covers every meaningless argument.",
        except: [.swift: "a query has properties, and no others"]),
      Row(
        "search.class", .find, "Other classes can be searched too; an unknown one is an error.",
        by: .keychain(KeychainFinding.otherClass),
        vault: .inexpressible("Each class has functions of its own; there is none to name."),
        compatible: .differs(
          "Every class but the two of passwords is errSecNoSuchClass.", "no-such-class"),
        why: "A vault stores passwords only."),
      Row(
        "search.no-place", .find, "Without an output for the search, the result is errSecParam.",
        by: .keychain(KeychainFinding.noPlace),
        vault: .inexpressible("Searches are Swift values, or return an array."),
        compatible: .same("invalid-argument")),
      Row(
        "search.end", .find,
        "After the last item, a search returns errSecItemNotFound, however often it is called.",
        by: .keychain(KeychainFinding.end),
        vault: .inexpressible("All matches come in one array."),
        compatible: .same("ann, item-not-found, item-not-found")),
      Row(
        "search.snapshot", .find,
        "A search sees a keychain's file as it was when the search reached it.",
        by: .keychain(KeychainFinding.snapshot),
        vault: .inexpressible("All matches come in one array, from one moment."),
        compatible: .differs(
          "The matches at the time of the search, without items deleted since.",
          "ann eve"),
        why: "A reference to a deleted item is of no use."),
      Row(
        "search.same-item", .find, "Finding an item twice returns the same object.",
        by: .any(sameItem),
        vault: .differs("Two references to the same item.", "new, new"),
        compatible: .differs("Two references to the same item.", "new, new"),
        why: "A reference holds an identity, not shared state."),
    ]

  static let order1 = "ann, ann bob zoe"

  // MARK: Wildcards

  private static func anyRow(_ attribute: Attribute) -> Row {
    let isNumber = [.port, .protocol, .method].contains(attribute)
    return Row(
      "find.\(attribute).any", .find,
      isNumber
        ? "The \(attribute.apple) Any (0) matches all items."
        : "The \(attribute.apple) NULL matches all items.",
      by: .any { try wildcard($0, attribute, named: nil) },
      vault: .same(attribute == .account ? "/any /team" : "ann any"),
      compatible: .same(attribute == .account ? "/any /team" : "ann any"))
  }

  private static func zeroRow(_ attribute: Attribute) -> Row {
    let isNumber = [.port, .protocol, .method].contains(attribute)
    return Row(
      "find.\(attribute).unset", .find,
      isNumber
        ? "0 is Any, so an unset \(attribute.apple) cannot be queried."
        : "The length 0 is a wildcard like NULL, so an unset \(attribute.apple) cannot be queried.",
      by: .any { try wildcard($0, attribute, named: "") },
      vault: .differs(
        "“Any” and “unset” are separate.", attribute == .account ? "/any" : "any"),
      compatible: .same(attribute == .account ? "/any /team" : "ann any"),
      why: "Anything that can be stored can be queried.")
  }

  /// Finds and deletes until nothing is left, with one attribute not named, or named with a value.
  private static func wildcard(
    _ driver: any Driver, _ attribute: Attribute, named value: String?
  ) throws -> String {
    // Another attribute than the tested one distinguishes them.
    let teller = attribute == .account ? Attribute.path : .account
    try driver.add(.ann)
    try driver.add(.ann.with(teller, teller == .path ? "/any" : "any").with(attribute, ""))
    var query = Attributes.ann.without(teller).without(attribute)
    query[attribute] = value
    var found: [String] = []
    while let item = try ifFound({ try driver.find(query) }) {
      found.append(try driver.read(teller, of: item))
      try driver.remove(item)
    }
    return found.sorted().joined(separator: " ")
  }

  private static func ifFound(_ find: () throws -> Reference) throws -> Reference? {
    var item: Reference?
    let outcome = try outcome { item = try find() }
    return ["ok", "item-not-found"].contains(outcome) ? item : try find()
  }

  // MARK: Matching

  static func bothUsers(_ driver: any Driver) throws {
    try driver.add(.bob)
    try driver.add(.ann)
  }

  static func nothingNamed(_ driver: any Driver) throws -> String {
    try driver.add(.user("ann"))
    try driver.add(.user("bob", on: "other.example.com"))
    var found: [String] = []
    while let item = try ifFound({ try driver.find([:]) }) {
      found.append(try driver.read(.account, of: item))
      try driver.remove(item)
    }
    return found.joined(separator: " ")
  }

  static func allNamed(_ driver: any Driver) throws -> String {
    try bothUsers(driver)
    return seen(
      try driver.first([.account: "bob", .port: "8443"]),
      try driver.first([.account: "bob", .port: "443"]))
  }

  static func exactText(_ driver: any Driver) throws -> String {
    try driver.add(.ann)
    let others: [(Attribute, String)] = [
      (.account, "Ann"), (.account, "an"), (.account, "anna"), (.realm, "team git"),
      (.realm, "Team"), (.realm, "Team Git "), (.path, "/Team"), (.path, "/"), (.path, "/team/"),
    ]
    for (attribute, value) in others {
      let found = try driver.first(.ann.with(attribute, value))
      guard found == "item-not-found" else { return "\(value) finds \(found)" }
    }
    return try driver.first(.ann)
  }

  static func exactNumbers(_ driver: any Driver) throws -> String {
    try driver.add(.ann)
    let others: [(Attribute, String)] = [
      (.port, "8442"), (.port, "443"), (.protocol, "http"), (.protocol, "https-proxy"),
      (.method, "digest"), (.method, "default"),
    ]
    for (attribute, value) in others {
      let found = try driver.first(.ann.with(attribute, value))
      guard found == "item-not-found" else { return "\(value) finds \(found)" }
    }
    return try driver.first(.ann)
  }

  static func pathLength(_ driver: any Driver) throws -> String {
    try driver.add(.ann)
    try driver.add(.bob.with(.path, "/team/repository"))
    return try driver.first([.path: "/team"])
  }

  static func defaultMethod(_ driver: any Driver) throws -> String {
    try driver.add(.ann.with(.method, "default"))
    try driver.add(.bob)
    return seen(
      try driver.accounts([.method: "basic"]), try driver.accounts([.method: "default"]))
  }

  static func searchUnset(_ driver: any Driver) throws -> String {
    try driver.add(.ann)
    try driver.add(.bob.with(.path, ""))
    return try driver.accounts([.path: ""])
  }

  static func defaultOfSpace(_ driver: any VaultDriver) throws -> String {
    try driver.add(.ann.with(.method, "default"))
    try driver.add(.ann.with(.account, "zoe"))
    try driver.add(.ann.with(.account, "form").with(.method, "form"))
    return try driver.accounts(driver.findAll(.space, .ofSpace, limit: nil))
  }

  static func portOfSpace(_ driver: any VaultDriver) throws -> String {
    try driver.add(.ann.with(.port, ""))
    try driver.add(.ann.with(.account, "zoe").with(.port, "443"))
    try driver.add(.ann.with(.account, "other"))
    return try driver.accounts(driver.findAll(.space.with(.port, "443"), .ofSpace, limit: nil))
  }

  static func pathRequested(_ driver: SwiftDriver) throws -> String {
    try driver.add(.ann.with(.account, "none").with(.path, ""))
    try driver.add(.ann.with(.account, "team"))
    func accounts(_ target: String) throws -> String {
      var query = try ItemQuery(.space.with(.port, "8443"))
      query.requestPath = RequestPath(target: target)
      return try driver.vault.findAll(query).map(\.account).joined(separator: " ")
    }
    return try seen(accounts("/team/repository"), accounts("/teamwork"))
  }

  static func pathRequestedInC(_ driver: NativeDriver) throws -> String {
    try driver.add(.ann.with(.account, "none").with(.path, ""))
    try driver.add(.ann.with(.account, "team"))
    let space = Attributes.space.with(.port, "8443")
    return try seen(
      driver.accounts(driver.findAll(space, requested: "/team/repository")),
      driver.accounts(driver.findAll(space, requested: "/teamwork")))
  }

  static func several(_ driver: any VaultDriver) throws -> String {
    try bothUsers(driver)
    return seen(
      try driver.first([.realm: "Team Git"]),
      try attempt { try driver.read(.account, of: driver.findUnique([.realm: "Team Git"])) })
  }

  static func severalInKeychain(_ driver: KeychainDriver) throws -> String {
    try bothUsers(driver)
    return try driver.first([.realm: "Team Git"])
  }

  static func namedTwice(_ driver: NativeDriver) throws -> String {
    try bothUsers(driver)
    return try driver.first(namedTwice: "ann", "bob")
  }

  static func unknownAttribute(_ driver: NativeDriver) throws -> String {
    try outcome { try driver.nameUnknownAttribute() }
  }

  // MARK: Order

  static func order(_ driver: any Driver) throws -> String {
    try driver.add(.ann.with(.account, "zoe"))
    let ann = try driver.add(.ann)
    try driver.add(.bob)
    try driver.modify(ann, [.comment: "written last"])
    return seen(try driver.first([.realm: "Team Git"]), try driver.accounts([.realm: "Team Git"]))
  }

  static func orderOfKey(_ driver: any Driver) throws -> String {
    let parts = try orderOfParts(driver)
    for proto in ["http", "https", "ftp", "ftps"] {
      try driver.add([.account: "bob", .server: "a.org", .protocol: proto])
    }
    let found = try driver.findAll([.account: "bob"])
    let protocols = try found.map { try driver.read(.protocol, of: $0) }
    return seen(parts, protocols.joined(separator: " "))
  }

  private static func orderOfParts(_ driver: any Driver) throws -> String {
    // Each is above the one before in one part of the key, and below it in every later one.
    let high: Attributes = [
      .account: "ann", .realm: "z", .server: "z.org", .protocol: "http", .method: "form",
      .port: "9", .path: "/z",
    ]
    var low = high
    var items: [Attributes] = [high]
    for part in Attribute.key.dropFirst().reversed() {
      low[part] =
        [
          .realm: "a", .protocol: "https", .method: "basic", .port: "8", .server: "a.org",
          .path: "/a",
        ][part]
      items.append(low)
    }
    items = items.reversed()
    items.append(high.with(.account, "anna"))
    // The later ones are added first, so that the order of writing does not give the answer.
    for (number, item) in items.enumerated().reversed() {
      try driver.add(item.with(.comment, "\(number + 1)"))
    }
    return try driver.findAll([:]).map { try driver.read(.comment, of: $0) }
      .joined(separator: " ")
  }

  // MARK: Secrets and references

  static func secretsAskedFor(_ driver: any VaultDriver) throws -> String {
    let item = try driver.addExpired(.ann)
    // An expired secret is not returned, so opening one shows it.
    return seen(
      try driver.accounts(driver.findAll(.ann, [], limit: nil)),
      try attempt { try driver.secret(of: item) })
  }

  static func emptySecret(_ driver: any Driver) throws -> String {
    "“\(try driver.secret(of: driver.add(.ann, secret: "")))”"
  }

  static func binarySecret(_ driver: any Driver) throws -> String {
    try driver.add(.ann, secret: "a\0b")
    return try driver.secret(of: driver.find(.ann)).replacing("\0", with: "\\0")
  }

  static func locked(_ driver: any Driver) throws -> String {
    try driver.add(.ann)
    try driver.lock()
    let locked = try driver.first(.ann)
    try driver.unlock()
    return seen(locked, try driver.first(.ann))
  }

  static func sameItem(_ driver: any Driver) throws -> String {
    try driver.add(.ann)
    let (one, other) = (try driver.find(.ann), try driver.find(.ann))
    try driver.modify(one, [.comment: "new"])
    return seen(try driver.read(.comment, of: one), try driver.read(.comment, of: other))
  }
}

extension Attributes {
  /// The space of ``ann``, at the protocol's own port.
  static let space: Attributes = [
    .server: "git.example.com", .realm: "Team Git", .protocol: "https", .method: "basic",
    .port: "8443",
  ]
}

extension Attribute {
  /// The word in keychain terms.
  var apple: String {
    switch self {
    case .realm: "security domain"
    case .method: "authentication type"
    case .kind: "description"
    default: "\(self)"
    }
  }
}
