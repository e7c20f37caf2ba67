package import SecureMemory

/// A value of any attribute; an unset value is nil.
package enum AttributeValue: Sendable {
  /// Text; that of a host, a protocol or a method is canonical.
  case text(String)
  /// A port, a code or a kind of secret.
  case number(UInt32)
  case flag(Bool)
  case time(Timestamp)
  case data([UInt8])
  case secret(Secret)
  case custom([String: String])

  /// Whether it means unset: absent, empty, 0 and false are one.
  package var isUnset: Bool {
    switch self {
    case .text(let text): text.isEmpty
    case .number(let number): number == 0
    case .flag(let isSet): !isSet
    case .time: false
    case .data(let bytes): bytes.isEmpty
    case .secret(let secret): secret.count == 0
    case .custom(let texts): texts.isEmpty
    }
  }

  /// Returns whether both are the same value: text by its bytes, secrets in constant time.
  package func isSame(as other: AttributeValue) -> Bool {
    switch (self, other) {
    case (.text(let left), .text(let right)): left.hasSameBytes(as: right)
    case (.number(let left), .number(let right)): left == right
    case (.flag(let left), .flag(let right)): left == right
    case (.time(let left), .time(let right)): left == right
    case (.data(let left), .data(let right)): left == right
    case (.secret(let left), .secret(let right)): left === right || left.isEqual(to: right)
    case (.custom(let left), .custom(let right)): ByteText.wrap(left) == ByteText.wrap(right)
    default: false
    }
  }
}

/// A type of attribute values in the interface.
protocol AttributeType: Sendable {
  static var unset: Self { get }
  var isUnset: Bool { get }

  /// Returns whether both are the same value of the attribute; text is compared on bytes.
  func isSame(as other: Self) -> Bool

  /// Creates it from an attribute's value; nil if that has another type.
  init?(_ value: AttributeValue)
  var attributeValue: AttributeValue { get }
}

extension AttributeType where Self: Equatable {
  func isSame(as other: Self) -> Bool { self == other }
}

extension String: AttributeType {
  static var unset: String { "" }
  var isUnset: Bool { isEmpty }

  func isSame(as other: String) -> Bool { hasSameBytes(as: other) }

  init?(_ value: AttributeValue) {
    guard case .text(let text) = value else { return nil }
    self = text
  }

  var attributeValue: AttributeValue { .text(self) }
}

extension AttributeType where Self: FixedWidthInteger {
  static var unset: Self { 0 }
  var isUnset: Bool { self == 0 }

  init?(_ value: AttributeValue) {
    guard case .number(let number) = value else { return nil }
    self.init(exactly: number)
  }

  var attributeValue: AttributeValue { .number(UInt32(truncatingIfNeeded: self)) }
}

extension UInt16: AttributeType {}
extension UInt32: AttributeType {}

extension Bool: AttributeType {
  static var unset: Bool { false }
  var isUnset: Bool { !self }

  init?(_ value: AttributeValue) {
    guard case .flag(let isSet) = value else { return nil }
    self = isSet
  }

  var attributeValue: AttributeValue { .flag(self) }
}

extension SecretKind: AttributeType {
  static var unset: SecretKind { .password }
  var isUnset: Bool { self == .password }

  init?(_ value: AttributeValue) {
    guard case .number(let number) = value else { return nil }
    self.init(rawValue: UInt8(truncatingIfNeeded: number))
  }

  var attributeValue: AttributeValue { .number(UInt32(rawValue)) }
}

extension HostName: AttributeType {
  init?(_ value: AttributeValue) {
    guard case .text(let text) = value else { return nil }
    self.init(canonical: text)
  }

  var attributeValue: AttributeValue { .text(name) }
}

extension AttributeType where Self: RawRepresentable, RawValue == String {
  var isUnset: Bool { rawValue.isEmpty }

  init?(_ value: AttributeValue) {
    guard case .text(let text) = value else { return nil }
    self.init(rawValue: text)
  }

  var attributeValue: AttributeValue { .text(rawValue) }
}

extension [UInt8]: AttributeType {
  static var unset: [UInt8] { [] }
  var isUnset: Bool { isEmpty }

  init?(_ value: AttributeValue) {
    guard case .data(let bytes) = value else { return nil }
    self = bytes
  }

  var attributeValue: AttributeValue { .data(self) }
}

extension NetworkProtocol: AttributeType {}
extension AuthenticationMethod: AttributeType {}

extension Dictionary: AttributeType where Key == String, Value == String {
  static var unset: [String: String] { [:] }
  var isUnset: Bool { isEmpty }

  init?(_ value: AttributeValue) {
    guard case .custom(let texts) = value else { return nil }
    self = texts
  }

  var attributeValue: AttributeValue { .custom(self) }
}

extension ByteText {
  fileprivate static func wrap(_ attributes: [String: String]) -> [ByteText: ByteText] {
    Dictionary(
      attributes.map { (ByteText(text: $0), ByteText(text: $1)) },
      uniquingKeysWith: { first, _ in first })
  }
}
