import CredentialVault
import VaultModel

/// Finding: `SecKeychainFindInternetPassword` and searches by attributes.
enum FindRows {
  static let rows: [Row] =
    Attribute.key.flatMap { [anyRow($0), zeroRow($0)] } + [
      Row(
        "find.nothing-named", .find, "Without parameters every internet password matches.",
        by: .any(nothingNamed), vault: .same("ann bob"), compatible: .same("ann bob")),
      Row(
        "find.all-named", .find, "All parameters must match; none is mandatory.",
        by: .any(allNamed), vault: .same("bob, item-not-found"),
        compatible: .same("bob, item-not-found")),
      Row(
        "find.text.exact", .find,
        "Account, security domain and path are compared by bytes and length.",
        by: .any(exactText), vault: .same("ann"), compatible: .same("ann")),
      Row(
        "find.number.exact", .find, "Port, protocol and authentication type match as they are.",
        by: .any(exactNumbers), vault: .same("ann"), compatible: .same("ann")),
      Row(
        "find.path.length", .find, "strlen() is used for the path, not its length.",
        by: .any(pathLength), .keychain(KeychainFinding.pathLength),
        vault: .differs("The given length is used.", "ann"),
        compatible: .differs("The given length is used.", "ann"),
        why: "A buffer need not end in NUL."),
      Row(
        "find.method.default", .find,
        "Default does not find HTTPBasic, nor HTTPBasic Default.",
        by: .any(defaultMethod), vault: .same("bob, ann"), compatible: .same("bob, ann")),
      Row(
        "find.method.default-of-space", .find, "Nothing falls back from a type to Default.",
        by: .vault(defaultOfSpace),
        vault: .differs(
          "In a query by space, Default stands for any password method, after an exact one.",
          "zoe ann"),
        compatible: .inexpressible("Finding has no query by space."),
        why: "A client finds items that were stored without a method."),
      Row(
        "find.port.default-of-space", .find,
        "Port 0 and the protocol's default port are unrelated.",
        by: .vault(portOfSpace),
        vault: .differs(
          "In a query by space, an unset port is the protocol's default, after a literal one.",
          "zoe ann"),
        compatible: .inexpressible("Finding has no query by space."),
        why: "`https://host` is `https://host:443`."),
      Row(
        "find.path.requested", .find, "A path only matches itself, not the paths below it.",
        by: .swift(pathRequested), .native(pathRequestedInC),
        vault: .differs(
          "For a request, items with a path at or above its own match, longest first, then those without.",
          "team none, none"),
        compatible: .inexpressible("Finding takes a path literally."),
        why: "A password for one path is not for another."),
      Row(
        "find.several", .find,
        "Of several matches the caller gets one.",
        by: .vault(several), .keychain(severalInKeychain),
        vault: .differs(
          "`find` returns the best; `findUnique` fails and names all of equal rank.",
          "ann, ambiguous"),
        compatible: .same("ann"),
        why: "No credential is used by chance."),
      Row(
        "find.order", .find,
        "The order depends on the index and the last write.",
        by: .any(order),
        vault: .differs(
          "The best match, then the order of the key.", order1),
        compatible: .differs("The order of the key.", order1),
        why: "Unrelated writes do not change an answer."),
      Row(
        "find.order.key", .find,
        "With only an account, matches are sorted by account, domain, server, protocol, type, port, path, the codes by their letters: `htps` before `http`.",
        by: .any(orderOfKey),
        vault: .differs(
          "By the same parts and by names, encrypted protocols first.",
          "1 2 3 4 5 6 7 8, ftps https ftp http"),
        compatible: .differs(
          "By the same parts and by names, encrypted protocols first.",
          "1 2 3 4 5 6 7 8, ftps https ftp http"),
        why: "A code's letters must not choose a plain protocol's password."),
      Row(
        "find.twice", .find, "An attribute twice is errSecInvalidQuery.",
        by: .native(namedTwice), .keychain(KeychainFinding.namedTwice),
        vault: .differs("The last counts.", "bob"), compatible: .same("invalid-query"),
        why: "A query is a set.",
        except: [.swift: "a query has one property for each attribute"]),
      Row(
        "find.not-found", .find,
        "Nothing found is errSecItemNotFound; outputs are unchanged.",
        by: .any { try $0.first(.ann) }, .keychain(KeychainFinding.untouched),
        vault: .same("item-not-found"), compatible: .same("item-not-found, untouched")),
      Row(
        "find.secret.optional", .find,
        "A secret is opened only for its length or bytes.",
        by: .vault(secretsAskedFor), .keychain(KeychainFinding.secretOptional),
        vault: .same("ann, expired"), compatible: .same("ann, one")),
      Row(
        "find.secret.length-alone", .find, "Asking for the length alone leaks the secret's bytes.",
        by: .keychain(KeychainFinding.lengthAlone),
        vault: .inexpressible("A secret comes with its length."),
        compatible: .differs("The length alone.", "3"),
        why: "Secrets do not leak."),
      Row(
        "find.secret.empty", .find, "An empty secret has length 0.",
        by: .any(emptySecret), .keychain(KeychainFinding.emptySecret), vault: .same("“”"),
        compatible: .same("0")),
      Row(
        "find.secret.bytes", .find,
        "A secret is any bytes, without a final NUL.",
        by: .any(binarySecret), vault: .same("a\\0b"), compatible: .same("a\\0b")),
      Row(
        "find.item.counted", .find,
        "The item is retained, or omitted for NULL.",
        by: .keychain(KeychainFinding.counted),
        vault: .inexpressible("Finding always returns the item; C counts handles itself."),
        compatible: .same("ann, ok")),
      Row(
        "find.locked", .find,
        "A locked keychain finds attributes.",
        by: .any(locked),
        vault: .differs("Nothing is found; the error is `locked`.", "locked, ann"),
        compatible: .differs("errSecInteractionNotAllowed.", "locked, ann"),
        why:
          "Attributes are sealed like secrets.",
        except: [.session: "locking clears the session"]),
      Row(
        "find.locked.no-prompt", .find,
        "Where prompts are forbidden, a locked keychain is errSecAuthFailed.",
        by: .keychain(KeychainFinding.lockedWithoutPrompt),
        vault: .inexpressible("There is no prompt to allow."),
        compatible: .same("authentication-failed, authentication-failed, locked"),
        except: [.session: "locking clears the session"], alone: true),
      Row(
        "find.where.default", .find,
        "NULL searches the lists of user and system.",
        by: .keychain(KeychainFinding.defaultVault),
        vault: .inexpressible("The object whose function is called is the vault."),
        compatible: .differs(
          "The list of the user's configuration or of the process, else the default vault.",
          "ann, item-not-found, bob"),
        why: "The system has no vault.",
        except: [.session: "the default vault is a file"], alone: true),
      Row(
        "find.where.list", .find, "An array is searched in order; the first hit wins.",
        by: .keychain(KeychainFinding.list),
        vault: .inexpressible("Each query is to one vault; a program queries several in turn."),
        compatible: .same("own, other")),
      Row(
        "find.where.other", .find,
        "Neither keychain, array nor NULL: errSecParam.",
        by: .keychain(KeychainFinding.notAVault),
        vault: .inexpressible("The object whose function is called is the vault."),
        compatible: .same("invalid-argument")),
      Row(
        "find.where.failing", .find,
        "A keychain that cannot be searched is skipped unless all fail.",
        by: .keychain(KeychainFinding.lockedInList),
        vault: .inexpressible("Each query is to one vault."),
        compatible: .differs("It is an error.", "locked"),
        why: "“Not found” must be true.",
        except: [.session: "locking clears the session"]),
      Row(
        "search.nothing", .find, "Without attributes, all items of the class.",
        by: .any { driver in
          try bothUsers(driver)
          return try driver.accounts()
        }, vault: .same("ann bob"), compatible: .same("ann bob")),
      Row(
        "search.unset", .find, "In a search, length 0 matches unset attributes.",
        by: .any(searchUnset), vault: .same("bob"), compatible: .same("bob")),
      Row(
        "search.unknown-attribute", .find,
        "An attribute that the class lacks is errSecNoSuchAttr.",
        by: .native(unknownAttribute), .keychain(KeychainFinding.foreignTag),
        vault: .differs("An invalid argument.", "invalid-argument"),
        compatible: .same("no-such-attribute"),
        why: "One status for one mistake.",
        except: [.swift: "a query has properties, and no others"]),
      Row(
        "search.class", .find, "All classes can be searched.",
        by: .keychain(KeychainFinding.otherClass),
        vault: .inexpressible("Each class has functions of its own; there is none to name."),
        compatible: .differs(
          "Any but the two of passwords is errSecNoSuchClass.", "no-such-class"),
        why: "A vault has no others."),
      Row(
        "search.no-place", .find, "A search without an output is errSecParam.",
        by: .keychain(KeychainFinding.noPlace),
        vault: .inexpressible("Searches are Swift values, or return an array."),
        compatible: .same("invalid-argument")),
      Row(
        "search.end", .find,
        "After the last item, always errSecItemNotFound.",
        by: .keychain(KeychainFinding.end),
        vault: .inexpressible("All matches come in one array."),
        compatible: .same("ann, item-not-found, item-not-found")),
      Row(
        "search.snapshot", .find,
        "A search sees a file as it was when it reached it.",
        by: .keychain(KeychainFinding.snapshot),
        vault: .inexpressible("All matches come in one array, from one moment."),
        compatible: .differs(
          "Matches at the search, without those deleted since.",
          "ann eve"),
        why: "A deleted item is of no use."),
      Row(
        "search.same-item", .find, "Two finds return the same object.",
        by: .any(sameItem),
        vault: .differs("Two references.", "new, new"),
        compatible: .differs("Two references.", "new, new"),
        why: "References share no state."),
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
        ? "0 is Any: an unset \(attribute.apple) cannot be queried."
        : "Length 0 is a wildcard like NULL: an unset \(attribute.apple) cannot be queried.",
      by: .any { try wildcard($0, attribute, named: "") },
      vault: .differs(
        "“Any” and “unset” are two things.", attribute == .account ? "/any" : "any"),
      compatible: .same(attribute == .account ? "/any /team" : "ann any"),
      why: "What can be stored can be queried.")
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
