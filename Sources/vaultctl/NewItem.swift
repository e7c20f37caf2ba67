import VaultModel

/// Reads the attributes of an item from a command line.
enum NewItem {
  /// Returns the item that `add` is to store, without its secret.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if no server is named, or a part is named twice.
  static func item(_ arguments: Arguments) throws(VaultError) -> InternetPassword {
    var item = InternetPassword()
    let url = try url(arguments)
    if let url {
      item.protocol = url.protocol
      item.server = url.host
      item.port = url.port ?? 0
      item.path = url.path
      item.account = url.user ?? ""
    }
    let isNamed: [OptionName: Bool] = [
      .networkProtocol: url != nil, .server: url != nil, .port: url != nil,
      .path: url?.path.isEmpty == false, .account: url?.user?.isEmpty == false,
    ]
    for (name, isNamed) in isNamed where isNamed && arguments.has(name) {
      throw VaultError(.invalidArgument, "the URL and --\(name.rawValue) name the same part")
    }
    _ = item.apply(try keyChanges(arguments, keyOptions))
    guard !item.server.isUnset || url != nil else {
      throw VaultError(.invalidArgument, "no server was named: -s HOST, or a URL")
    }
    guard url == nil || url?.user?.isEmpty == false || arguments.has(.account) else {
      throw VaultError(
        .invalidArgument, "the URL names no account: -a USER, or -a \"\" for an item without one")
    }
    return item
  }

  /// The options that name the parts of a key.
  struct KeyOptions {
    let server, port, networkProtocol, realm, account, path, auth: OptionName
  }

  static let keyOptions = KeyOptions(
    server: .server, port: .port, networkProtocol: .networkProtocol, realm: .realm,
    account: .account, path: .path, auth: .auth)

  /// The options of `modify`, whose other options select.
  static let setOptions = KeyOptions(
    server: .setServer, port: .setPort, networkProtocol: .setProtocol, realm: .setRealm,
    account: .setAccount, path: .setPath, auth: .setAuth)

  static func keyChanges(
    _ arguments: Arguments, _ options: KeyOptions
  ) throws(VaultError) -> [ItemChange] {
    var changes: [ItemChange] = []
    if let host = try arguments.parsed(options.server, as: Values.host) {
      changes.append(.server(host))
    }
    if let port = try arguments.parsed(options.port, as: Values.port) {
      changes.append(.port(port))
    }
    if let name = try arguments.parsed(options.networkProtocol, as: Values.networkProtocol) {
      changes.append(.protocol(name))
    }
    if let realm = arguments.text(options.realm) { changes.append(.realm(realm)) }
    if let account = arguments.text(options.account) { changes.append(.account(account)) }
    if let path = arguments.text(options.path) { changes.append(.path(path)) }
    if let method = try arguments.parsed(options.auth, as: Values.method) {
      changes.append(.authenticationMethod(method))
    }
    return changes
  }

  /// Returns the changes of the attributes beside the key.
  static func metadataChanges(_ arguments: Arguments) throws(VaultError) -> [ItemChange] {
    var changes: [ItemChange] = []
    if let label = arguments.text(.label) { changes.append(.label(label)) }
    if let comment = arguments.text(.comment) { changes.append(.comment(comment)) }
    if let kind = arguments.text(.kind) { changes.append(.kind(kind)) }
    if let creator = try arguments.parsed(.creator, as: Values.code) {
      changes.append(.creator(creator))
    }
    if let type = try arguments.parsed(.type, as: Values.code) { changes.append(.type(type)) }
    if let expires = try arguments.parsed(.expires, as: Values.expiry) {
      changes.append(.expires(expires))
    }
    return changes
  }

  private static func url(_ arguments: Arguments) throws(VaultError) -> URLReference? {
    let option = try arguments.parsed(.url, as: Reference.url)
    guard let operand = arguments.operands.first else { return option }
    guard option == nil else { throw VaultError(.invalidArgument, "more than one URL") }
    guard operand.contains("://") else {
      throw VaultError(
        .invalidArgument,
        arguments.has(.passwordPrompt)
          ? "-w takes no value: secrets are never read from arguments"
          : "the operand is not a URL")
    }
    return try Reference.url(operand)
  }
}
