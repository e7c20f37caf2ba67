import VaultModel

extension KeychainValue {
  /// Returns the value of an attribute in a dictionary as an item has it.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for a value of the wrong type or that no item
  ///   can have, naming the key alone.
  func value(of attribute: Attribute, _ key: String) throws(VaultError) -> AttributeValue {
    switch attribute.form {
    case .host: .text(try HostName(text(key)).name)
    case .networkProtocol: .text(try networkProtocol(key).rawValue)
    case .method: .text(try authenticationMethod(key).rawValue)
    case .port: .number(UInt32(try port(key)))
    case .code: .number(try code(key))
    case .flag: .flag(try flag(key))
    case .data: .data(try bytes(key))
    case .moment, .time: .time(try date(key))
    // The table has no key of another form.
    case .text, .secretKind, .id, .revision, .secret, .custom: .text(try text(key))
    }
  }

  /// Returns the protocol of a name, of four characters, or of their number.
  private func networkProtocol(_ key: String) throws(VaultError) -> NetworkProtocol {
    if case .number(let number) = self {
      guard let code = UInt32(exactly: number) else { throw invalid(key) }
      return NetworkProtocol(keychainCode: code)
    }
    let text = try text(key)
    do throws(VaultError) {
      return try NetworkProtocol(text)
    } catch {
      return NetworkProtocol(keychainCode: try FourCharacterCode(text).rawValue)
    }
  }

  /// Returns the method of a name, of four characters, or of Apple's number, whose bytes in memory
  /// are the characters.
  private func authenticationMethod(_ key: String) throws(VaultError) -> AuthenticationMethod {
    if case .number(let number) = self {
      return AuthenticationMethod(keychainType: try code(key, number))
    }
    let text = try text(key)
    do throws(VaultError) {
      return try AuthenticationMethod(text)
    } catch {
      return AuthenticationMethod(keychainType: try FourCharacterCode(text).rawValue.bigEndian)
    }
  }

  private func port(_ key: String) throws(VaultError) -> UInt16 {
    guard let port = UInt16(exactly: try number(key)) else { throw invalid(key) }
    return port
  }

  /// Returns the number of four characters; digits are a number.
  private func code(_ key: String) throws(VaultError) -> UInt32 {
    if case .text(let text) = self, !text.utf8.allSatisfy(\.isDigit) {
      return try FourCharacterCode(text).rawValue
    }
    return try code(key, number(key))
  }

  /// Returns a number of 32 bits with or without a sign: programs write a code as either.
  private func code(_ key: String, _ number: Int64) throws(VaultError) -> UInt32 {
    if let code = UInt32(exactly: number) { return code }
    guard let code = Int32(exactly: number) else { throw invalid(key) }
    return UInt32(bitPattern: code)
  }

  private func date(_ key: String) throws(VaultError) -> Timestamp {
    guard case .date(let date) = self else { throw invalid(key) }
    return date
  }
}

extension Item {
  /// Returns the value of an attribute as dictionaries have it; nil if it is unset.
  ///
  /// The port of an internet password is always there, 0 if unset, as on macOS.
  func keychainValue(_ attribute: Attribute) -> KeychainValue? {
    switch attribute {
    case .server:
      if isVariant, let text = custom[KeptAttribute.serverText.custom] {
        .text(text)
      } else {
        self[.server].map { _ in .text(server.name) }
      }
    case .port: key.itemClass == .internetPassword ? .number(Int64(port)) : nil
    case .protocol: Self.name(self.protocol.keychainCode, self.protocol.rawValue)
    case .authenticationMethod:
      Self.name(authenticationMethod.keychainType.bigEndian, authenticationMethod.rawValue)
    default:
      switch self[attribute] {
      case .text(let text): .text(text)
      case .number(let number): .number(Int64(number))
      case .flag(let isSet): .flag(isSet)
      case .time(let time): .date(time)
      case .data(let bytes): .data(bytes)
      case .secret, .custom, nil: nil
      }
    }
  }

  /// Returns the four characters of a code, else the name of what has none; nil if unset.
  private static func name(_ code: UInt32, _ name: String) -> KeychainValue? {
    if code != 0 { return .text(FourCharacterCode(rawValue: code).description) }
    return name.isEmpty ? nil : .text(name)
  }
}
