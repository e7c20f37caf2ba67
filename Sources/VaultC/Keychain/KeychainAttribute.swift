import CVault
import KeychainServices
import VaultModel

/// An attribute from the caller, with a copy of its value.
struct KeychainAttribute {
  let tag: KeychainTag
  private let bytes: [UInt8]

  /// Copies the attributes of a list for items of a class; NULL has none.
  ///
  /// - Throws: ``VaultError/Code/noSuchAttribute``; ``VaultError/Code/invalidArgument`` for NULL
  ///   with a length, and for a list that is too long; ``VaultError/Code/invalidValue`` for a
  ///   number and ``VaultError/Code/tooLarge`` for a text that is too long, and is not read then.
  static func all(
    in list: UnsafePointer<VaultAttributeList>?, of itemClass: ItemClass
  ) throws(VaultError) -> [KeychainAttribute] {
    // The list is the caller's, valid during the call, with `count` attributes at `attr`.
    guard let list = unsafe list?.pointee, unsafe list.count > 0 else { return [] }
    guard let first = unsafe list.attr else {
      throw VaultError(.invalidArgument, "a list without its attributes")
    }
    try Keychain.checkCount(unsafe list.count)
    var attributes: [KeychainAttribute] = []
    for index in 0..<(unsafe Int(list.count)) {
      attributes.append(try unsafe KeychainAttribute(first[index], of: itemClass))
    }
    return attributes
  }

  private init(_ attribute: VaultAttribute, of itemClass: ItemClass) throws(VaultError) {
    tag = try unsafe KeychainTag(attribute.tag, of: itemClass)
    guard unsafe attribute.data != nil || attribute.length == 0 else {
      throw VaultError(.invalidArgument, "an attribute has a length and no value")
    }
    guard unsafe !tag.isNumber || attribute.length <= 4 else { throw Self.invalidNumber }
    guard unsafe attribute.length <= Input.most else {
      throw VaultError(.tooLarge, "a value is longer than \(Input.most) bytes")
    }
    // The value is the caller's: `length` bytes, copied during the call.
    bytes = unsafe Array(
      UnsafeRawBufferPointer(start: attribute.data, count: Int(attribute.length)))
  }

  /// Whether the value has length 0.
  var isEmpty: Bool { bytes.isEmpty }

  /// Returns the value as text.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if a vault cannot store it: NUL, or anything but
  ///   UTF-8.
  func text() throws(VaultError) -> String {
    // A view of the bytes, which are read while it is valid.
    try unsafe bytes.span.bytes.withUnsafeBytes { (bytes) throws(VaultError) in
      try unsafe Input.text(bytes.baseAddress, bytes.count)
    }
  }

  /// Returns the value as a number in the machine's order; 0 if it is empty.
  ///
  /// - Throws: ``VaultError/Code/invalidValue`` unless it has 0, 1, 2 or 4 bytes.
  func number() throws(VaultError) -> UInt32 {
    // The closure reads as many bytes as there are, at any alignment.
    switch bytes.count {
    case 0: return 0
    case 1: return UInt32(bytes[0])
    case 2: return unsafe UInt32(bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt16.self) })
    case 4: return unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt32.self) }
    default: throw Self.invalidNumber
    }
  }

  private static var invalidNumber: VaultError {
    VaultError(.invalidValue, "a number has 1, 2 or 4 bytes")
  }

  /// Returns the value as one of an attribute.
  ///
  /// - Throws: ``VaultError/Code/invalidValue`` and ``VaultError/Code/invalidArgument`` for a value
  ///   that no item can have.
  func value(of attribute: Attribute) throws(VaultError) -> AttributeValue {
    switch attribute.form {
    case .host: .text(try HostName(text()).name)
    case .networkProtocol: .text(NetworkProtocol(keychainCode: try number()).rawValue)
    case .method: .text(try authenticationMethod().rawValue)
    case .port: .number(UInt32(try port()))
    case .code: .number(try number())
    case .flag: .flag(try number() != 0)
    case .data: .data(bytes)
    // The keychain has no attribute of another form that can be set.
    case .text, .secretKind, .time, .moment, .id, .revision, .secret, .custom: .text(try text())
    }
  }

  private func port() throws(VaultError) -> UInt16 {
    guard let port = UInt16(exactly: try number()) else {
      throw VaultError(.invalidValue, "a port is at most 65535")
    }
    return port
  }

  private func authenticationMethod() throws(VaultError) -> AuthenticationMethod {
    guard bytes.isEmpty || bytes.count == 4 else {
      throw VaultError(.invalidValue, "an authentication type has 4 bytes")
    }
    return AuthenticationMethod(keychainType: try number())
  }

  /// Returns the value as a vault would store it; a number 0 is unset, like a value without bytes.
  func stored() throws(VaultError) -> [UInt8] {
    tag.isNumber ? (try number() == 0 ? [] : bytes) : bytes
  }
}

/// The meaning of a number of length 0 in the two functions that modify.
enum EmptyNumber {
  /// The value has a wrong length.
  case isInvalid
  /// The attribute becomes unset, unless the key needs one.
  case unsets
}

extension KeychainAttribute {
  /// Returns the change that gives an item this value.
  ///
  /// - Parameters:
  ///   - emptyNumber: The meaning of a number without bytes.
  ///   - isNew: Whether the item is new, and nothing of it was set before.
  /// - Returns: The change; nil if none is needed.
  /// - Throws: ``VaultError/Code/readOnlyAttribute`` for the dates, which the vault sets: Apple
  ///   accepts one and drops the other; ``VaultError/Code/unsupported`` for any value except unset
  ///   of an attribute that vaults do not keep; ``VaultError/Code/invalidValue``,
  ///   ``VaultError/Code/missingValue``, ``VaultError/Code/invalidArgument``.
  func change(
    _ emptyNumber: EmptyNumber, isNew: Bool = false
  ) throws(VaultError) -> ItemChange? {
    if tag.isNumber, isEmpty, !isNew {
      switch emptyNumber {
      case .isInvalid: throw VaultError(.invalidValue, "a number has no bytes")
      case .unsets where tag.isOfKey:
        throw VaultError(.missingValue, "a number of the key has no bytes")
      case .unsets: break
      }
    }
    guard case .attribute(let attribute) = tag else { return try nothing() }
    guard !attribute.isReadOnly else {
      throw VaultError(.readOnlyAttribute, "a vault sets its items' dates")
    }
    return ItemChange(attribute, try value(of: attribute))
  }

  /// Accepts only unset.
  private func nothing() throws(VaultError) -> ItemChange? {
    guard try stored().isEmpty else {
      throw VaultError(.unsupported, "vaults do not keep this attribute")
    }
    return nil
  }
}
