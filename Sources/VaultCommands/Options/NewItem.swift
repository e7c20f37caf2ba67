import VaultModel

/// Reads the attributes of an item from a command line.
enum NewItem {
  /// Returns the item that `add` is to store, without its secret.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if no server or service is named, or a part is
  ///   named twice.
  static func item(_ arguments: Arguments) throws(VaultError) -> Item {
    if let service = arguments.text(.service) { return try generic(service, arguments) }
    var item = Item()
    let place = try NewPlace(arguments)
    if let place {
      item.protocol = place.url.protocol
      item.server = place.url.host
      item.port = place.url.port ?? 0
      item.path = place.url.path
      item.account = place.user ?? ""
      try place.requireOnce(arguments)
    }
    _ = item.apply(try keyChanges(arguments))
    // Bearer sends tokens; another kind has to be named.
    if item.authenticationMethod.isToken { item.secretKind = .token }
    guard !item.server.isUnset || place != nil else {
      throw VaultError(
        .invalidArgument, "no place was named: USER@HOST, a URL, -s SERVER, or --service NAME")
    }
    guard place == nil || place?.user?.isEmpty == false || arguments.has(.account) else {
      throw VaultError(
        .invalidArgument,
        "no account was named: USER@HOST, -a ACCOUNT, or -a \"\" for an item without one")
    }
    return item
  }

  private static func generic(
    _ service: String, _ arguments: Arguments
  ) throws(VaultError) -> Item {
    let others = Attribute.all.filter { $0.isOfKey && !$0.isOf(.genericPassword) }
    guard try NewPlace(arguments) == nil, !others.contains(where: { arguments.has($0) }) else {
      throw VaultError(.invalidArgument, "a generic password has a service and an account alone")
    }
    guard !service.isEmpty else { throw VaultError(.invalidArgument, "--service: empty") }
    return Item(service: service, account: arguments.text(.account) ?? "")
  }

  /// Returns the changes of the parts of the key, by their own options, or by `--set-…` where those
  /// select items.
  static func keyChanges(
    _ arguments: Arguments, areNew: Bool = false
  ) throws(VaultError) -> [ItemChange] {
    var changes: [ItemChange] = []
    for attribute in Attribute.all where attribute.isOfKey {
      let name = areNew ? OptionName.newValue(attribute) : .attribute(attribute)
      if let change = try arguments.change(name, of: attribute) { changes.append(change) }
    }
    return changes
  }

  /// Checks that an item may have the attributes that changes set.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for the data of a generic password, of another
  ///   item.
  static func requireOwn(
    _ changes: [ItemChange], of item: Item
  ) throws(VaultError) {
    for change in changes where change.attribute == .generic && change.value?.isUnset == false {
      guard item.key.itemClass == .genericPassword else {
        throw VaultError(.invalidArgument, "--generic: only a generic password has it")
      }
    }
  }

  /// Returns the changes of the attributes beside the key.
  static func metadataChanges(_ arguments: Arguments) throws(VaultError) -> [ItemChange] {
    var changes: [ItemChange] = []
    for attribute in Attribute.all where !attribute.isOfKey && attribute != .custom {
      if let change = try arguments.change(.attribute(attribute), of: attribute) {
        changes.append(change)
      }
    }
    for (name, text) in try arguments.custom() {
      changes.append(.custom(name, text.isEmpty ? nil : text))
    }
    return changes
  }
}

/// The place of a new item: a URL, or a host as people type it.
private struct NewPlace {
  let url: URLReference
  let user: String?
  private let isURL: Bool

  /// Reads the option or the operand; nil if neither is there.
  ///
  /// A host alone is https, which people mean by it in a browser, unless -r names a protocol.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for two places, and for an operand that may be
  ///   something else. It is not repeated, because it may be a secret that was typed by mistake.
  init?(_ arguments: Arguments) throws(VaultError) {
    let option = try arguments.parsed(.url, as: Reference.url)
    guard let operand = arguments.operands.first else {
      guard let option else { return nil }
      self.init(url: option, user: option.user, isURL: true)
      return
    }
    guard option == nil else { throw VaultError(.invalidArgument, "more than one URL") }
    if operand.contains("://") {
      let url = try Reference.url(operand)
      try Self.requireScheme(url.protocol)
      self.init(url: url, user: url.user, isURL: true)
      return
    }
    guard !arguments.has(.passwordPrompt) else {
      throw VaultError(
        .invalidArgument, "-w takes no value: secrets are never read from arguments")
    }
    guard let host = try HostReference(operand), host.isCertain else {
      throw VaultError(
        .invalidArgument,
        "the operand is no host: vaultctl add https://USER@HOST, or --service NAME -a ACCOUNT")
    }
    guard [nil, host.url.protocol.defaultPort].contains(host.url.port) || arguments.has(.protocol)
    else {
      throw VaultError(.invalidArgument, "a host with a port needs a protocol: -r, or a URL")
    }
    self.init(url: host.url, user: host.user, isURL: false)
  }

  /// Refuses a scheme that is one letter off a usual one, such as `htpps`.
  private static func requireScheme(_ scheme: NetworkProtocol) throws(VaultError) {
    let usual = Option.Value.protocols
    guard !usual.contains(scheme.rawValue),
      let meant = Suggestion.nearest(to: scheme.rawValue, among: usual)
    else { return }
    throw VaultError(
      .invalidArgument, "the URL's scheme is unknown; did you mean \(meant)? -r takes any")
  }

  private init(url: URLReference, user: String?, isURL: Bool) {
    (self.url, self.user, self.isURL) = (url, user, isURL)
  }

  /// Requires that no option names a part that the place has.
  func requireOnce(_ arguments: Arguments) throws(VaultError) {
    for attribute in Attribute.all where attribute.isOfKey && arguments.has(attribute) {
      let isNamed =
        switch attribute {
        case .server: true
        case .protocol: isURL
        case .port: isURL || url.port != nil
        case .path: !url.path.isEmpty
        case .account: user?.isEmpty == false
        default: false
        }
      guard isNamed else { continue }
      throw VaultError(
        .invalidArgument, "the URL and --\(attribute.option ?? "") name the same part")
    }
  }
}

extension HostReference {
  /// Whether it can hardly be a service or a label: it has a user, or the host is an address or has
  /// a domain.
  fileprivate var isCertain: Bool {
    user != nil || url.host.name.contains(".") || url.host.name.contains(":")
  }
}
