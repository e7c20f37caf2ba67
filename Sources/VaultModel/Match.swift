/// The condition of a query on one attribute.
///
/// `.equals` with an empty string, an empty host or name, 0 or false is the same as ``unset``.
public enum Match<Value: Sendable>: Sendable {
  /// Any value, or unset.
  case any
  /// Absent, empty or 0, which are one value.
  case unset
  /// This value, its text compared on bytes.
  case equals(Value)
}

extension Match: Equatable where Value: Equatable {
  /// Returns whether the two are written alike; text is compared on bytes.
  public static func == (left: Match, right: Match) -> Bool {
    switch (left, right) {
    case (.any, .any), (.unset, .unset): true
    case (.equals(let left), .equals(let right)):
      if let left = left as? String, let right = right as? String {
        left.hasSameBytes(as: right)
      } else {
        left == right
      }
    default: false
    }
  }
}

/// A value that an attribute can have.
protocol AttributeValue: Sendable {
  var isUnset: Bool { get }

  /// Returns whether both are the same value of the attribute; text is compared on bytes.
  func isSame(as other: Self) -> Bool
}

extension Match where Value: AttributeValue {
  /// Returns whether the attribute's value meets the condition.
  func accepts(_ value: Value) -> Bool {
    switch self {
    case .any: true
    case .unset: value.isUnset
    case .equals(let wanted): wanted.isSame(as: value)
    }
  }

  /// Whether there is a condition: anything but ``any``.
  var isNamed: Bool {
    if case .any = self { false } else { true }
  }
}

extension AttributeValue where Self: Equatable {
  func isSame(as other: Self) -> Bool { self == other }
}

extension String: AttributeValue {
  var isUnset: Bool { isEmpty }

  func isSame(as other: String) -> Bool { hasSameBytes(as: other) }
}

extension UInt16: AttributeValue {
  var isUnset: Bool { self == 0 }
}

extension UInt32: AttributeValue {
  var isUnset: Bool { self == 0 }
}

extension Bool: AttributeValue {
  var isUnset: Bool { !self }
}

extension SecretKind: AttributeValue {
  var isUnset: Bool { self == .password }
}

extension HostName: AttributeValue {}

extension NetworkProtocol: AttributeValue {
  var isUnset: Bool { rawValue.isEmpty }
}

extension AuthenticationMethod: AttributeValue {
  var isUnset: Bool { rawValue.isEmpty }
}
