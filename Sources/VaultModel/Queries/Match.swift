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

extension Match where Value: AttributeType {
  /// Returns whether the attribute's value meets the condition.
  func accepts(_ value: Value) -> Bool {
    switch self {
    case .any: true
    case .unset: value.isUnset
    case .equals(let wanted): wanted.isSame(as: value)
    }
  }
}

extension Match {
  /// Whether there is a condition: anything but ``any``.
  var isNamed: Bool {
    if case .any = self { false } else { true }
  }
}

extension Match {
  /// Returns the value that is asked for; nil for any.
  package func value(unset: Value) -> Value? {
    switch self {
    case .any: nil
    case .unset: unset
    case .equals(let value): value
    }
  }
}
