import VaultModel

/// Reads the attributes of an item from a command line.
enum NewItem {
  /// Returns the item that `add` is to store, without its secret.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if no server or service is named, or a part is
  ///   named twice.
  static func item(_ arguments: Arguments) throws(VaultError) -> InternetPassword {
    if let service = arguments.text(.service) { return try generic(service, arguments) }
    var item = InternetPassword()
    let url = try url(arguments)
    if let url {
      item.protocol = url.protocol
      item.server = url.host
      item.port = url.port ?? 0
      item.path = url.path
      item.account = url.user ?? ""
    }
    if let url { try refuseParts(of: url, arguments) }
    _ = item.apply(try keyChanges(arguments))
    guard !item.server.isUnset || url != nil else {
      throw VaultError(
        .invalidArgument, "no place was named: -s HOST, a URL, or --service NAME")
    }
    guard url == nil || url?.user?.isEmpty == false || arguments.has(.account) else {
      throw VaultError(
        .invalidArgument, "the URL names no account: -a USER, or -a \"\" for an item without one")
    }
    return item
  }

  private static func generic(
    _ service: String, _ arguments: Arguments
  ) throws(VaultError) -> InternetPassword {
    let others = Attribute.all.filter { $0.isOfKey && !$0.isOf(.genericPassword) }
    guard try url(arguments) == nil, !others.contains(where: { arguments.has($0) }) else {
      throw VaultError(.invalidArgument, "a generic password has a service and an account alone")
    }
    guard !service.isEmpty else { throw VaultError(.invalidArgument, "--service: empty") }
    return GenericPassword(service: service, account: arguments.text(.account) ?? "").item
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

  private static func refuseParts(
    of url: URLReference, _ arguments: Arguments
  ) throws(VaultError) {
    for attribute in Attribute.all where attribute.isOfKey && arguments.has(attribute) {
      let isNamed =
        switch attribute {
        case .protocol, .server, .port: true
        case .path: !url.path.isEmpty
        case .account: url.user?.isEmpty == false
        default: false
        }
      guard isNamed else { continue }
      throw VaultError(
        .invalidArgument, "the URL and --\(attribute.option ?? "") name the same part")
    }
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
