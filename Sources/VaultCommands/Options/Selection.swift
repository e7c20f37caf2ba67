import VaultModel

/// The items that a command line selects: by options, by a reference, or both.
struct Selection {
  /// The ways to read it, one or more; the first that has a match counts.
  let readings: [Reading]
  /// The conditions of options alone.
  private(set) var options = Reading()
  /// Whether nothing was named, so that every item matches.
  private(set) var isEmpty = true
  /// Whether the default user's item is meant if items of several users match equally well, as
  /// networking code takes it.
  let prefersDefaultUser: Bool
  /// Whether the reference may be a secret that was typed by mistake, and must not be repeated.
  private let mayHoldSecret: Bool

  /// Reads selectors and the operand.
  ///
  /// - Parameters:
  ///   - arguments: The options and operands.
  ///   - readsMetadata: Whether label, comment and the like select; in commands where they change
  ///     an item they do not.
  ///   - isLiteral: Whether a URL's path is that of the item itself, a slash alone means an item
  ///     without a path, and no default user is preferred. Otherwise the path is that of a request,
  ///     and the items are those that networking code would get for it. The option --exact asks for
  ///     the same.
  /// - Throws: ``VaultError/Code/invalidArgument`` for values that mean nothing, and for two that
  ///   name the same part.
  init(
    _ arguments: Arguments, readsMetadata: Bool, isLiteral: Bool = false
  ) throws(VaultError) {
    let isLiteral = isLiteral || arguments.has(.exact)
    var options = Reading()
    var isEmpty = try !options.readKey(arguments)
    if readsMetadata, try options.readMetadata(arguments) { isEmpty = false }
    if let id = arguments.text(GeneralOption.id) {
      options = try options.narrowed(toID: id)
      isEmpty = false
    }
    if let url = try arguments.parsed(.url, as: Reference.url) {
      options = try options.at(url, isLiteral: isLiteral)
      isEmpty = false
    }
    let text = arguments.operands.first
    readings =
      try text.map { (text) throws(VaultError) in
        try Reference.readings(text, in: options, isLiteral: isLiteral)
      } ?? [options]
    self.options = options
    self.isEmpty = isEmpty && text == nil
    prefersDefaultUser = !isLiteral && (text != nil || arguments.has(.url))
    mayHoldSecret = text?.contains("://") == false
  }

  /// Reads a reference alone.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` as ``Reference/readings(_:in:isLiteral:)`` does.
  init(reference: String, isLiteral: Bool = false) throws(VaultError) {
    var arguments = Arguments()
    arguments.append(operand: reference)
    try self.init(arguments, readsMetadata: false, isLiteral: isLiteral)
  }

  /// The subject of a message that nothing was found: the server or service if one was named, but
  /// nothing that may be a secret.
  var subject: String { place ?? "this" }

  /// The server or service that was named, but nothing that may be a secret.
  var place: String? { (mayHoldSecret ? options : readings[0]).place }
}

extension Reading {
  /// Reads the conditions on the parts of the key; returns whether there are any.
  fileprivate mutating func readKey(_ arguments: Arguments) throws(VaultError) -> Bool {
    var isNamed = false
    for attribute in Attribute.all where attribute.isOfKey {
      guard let text = arguments.text(attribute) else { continue }
      try narrow(to: attribute)
      isNamed = true
      switch attribute {
      case .port:
        // Port 0 is any port, as in the keychain; the empty text is the unset one.
        allow(.defaultPort)
        let port = try arguments.parsed(.attribute(.port), as: Values.port)
        if port == 0, !text.isEmpty { continue }
      case .authenticationMethod: allow(.defaultMethod)
      default: break
      }
      _ = try readValue(of: attribute, arguments)
    }
    return isNamed
  }

  /// Reads the conditions on other attributes; returns whether there are any.
  fileprivate mutating func readMetadata(_ arguments: Arguments) throws(VaultError) -> Bool {
    var isNamed = false
    for attribute in Attribute.all where !attribute.isOfKey && attribute != .custom {
      if try readValue(of: attribute, arguments) { isNamed = true }
    }
    for (name, text) in try arguments.custom() {
      setCustom(name, text)
      isNamed = true
    }
    let isSet: [(GeneralOption, Attribute)] = [
      (.hasExpiry, .expires), (.hasRefreshToken, .refreshToken), (.hasTOTP, .oneTimePasswordKey),
    ]
    for (option, attribute) in isSet {
      guard let value = try arguments.parsed(option, as: Values.yesOrNo) else { continue }
      set(attribute, .equals(.flag(value)))
      isNamed = true
    }
    return isNamed
  }

  private mutating func readValue(
    of attribute: Attribute, _ arguments: Arguments
  ) throws(VaultError) -> Bool {
    guard let named = try arguments.change(.attribute(attribute), of: attribute) else {
      return false
    }
    set(attribute, named.value.map { .equals($0) } ?? .unset)
    return true
  }

  fileprivate func narrowed(toID id: String) throws(VaultError) -> Reading {
    guard Reference.isID(id), let reading = try withID(id) else {
      throw VaultError(.invalidArgument, "--id: an id has 6 to 26 letters and digits")
    }
    return reading
  }
}
