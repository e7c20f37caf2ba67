import VaultModel

/// Reads what a command line says an item is to be.
enum NewItem {
  /// The item that `add` is asked for, without its secret.
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
    let isNamed: [Attribute: Bool] = [
      .protocol: url != nil, .server: url != nil, .port: url != nil,
      .path: url?.path.isEmpty == false, .account: url?.user?.isEmpty == false,
    ]
    for (attribute, isNamed) in isNamed where isNamed && arguments.has(attribute) {
      let name = OptionName.attribute(attribute).text
      throw VaultError(.invalidArgument, "the URL and --\(name) name the same part")
    }
    _ = item.apply(try keyChanges(arguments) { .attribute($0) })
    guard !item.server.isUnset || url != nil else {
      throw VaultError(.invalidArgument, "no server was named: -s HOST, or a URL")
    }
    guard url == nil || url?.user?.isEmpty == false || arguments.has(.account) else {
      throw VaultError(
        .invalidArgument, "the URL names no account: -a USER, or -a \"\" for an item without one")
    }
    return item
  }

  /// What is said of the parts of the key, by their options.
  static func keyChanges(
    _ arguments: Arguments, _ option: (Attribute) -> OptionName
  ) throws(VaultError) -> [ItemChange] {
    try changes(arguments, of: Attribute.all.filter(\.isOfKey), option)
  }

  /// What is said of the attributes beside the key.
  static func metadataChanges(_ arguments: Arguments) throws(VaultError) -> [ItemChange] {
    let attributes = Attribute.all.filter { !$0.isOfKey && $0 != .custom }
    return try changes(arguments, of: attributes) { .attribute($0) }
      + arguments.custom().map { .custom($0.name, $0.text.isEmpty ? nil : $0.text) }
  }

  private static func changes(
    _ arguments: Arguments, of attributes: [Attribute], _ option: (Attribute) -> OptionName
  ) throws(VaultError) -> [ItemChange] {
    var changes: [ItemChange] = []
    for attribute in attributes {
      if let change = try arguments.change(option(attribute), of: attribute) {
        changes.append(change)
      }
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
