/// What a query asks of one attribute.
///
/// `.equals` with an empty string, an empty host or name, 0 or false asks the same as ``unset``.
public enum Match<Value: Sendable>: Sendable {
  /// Anything, unset included.
  case any
  /// Absent, empty or 0, which are one value.
  case unset
  /// This value, its text compared on bytes.
  case equals(Value)
}

extension Match: Equatable where Value: Equatable {
  /// Whether the two ask the same in the same words; text is compared on bytes.
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
  /// Whether the attribute's value is what is asked for.
  func accepts(_ value: Value) -> Bool {
    switch self {
    case .any: true
    case .unset: value.isUnset
    case .equals(let wanted): wanted.isSame(as: value)
    }
  }
}

extension Match {
  /// Whether the attribute is named: anything but ``any``.
  var isNamed: Bool {
    if case .any = self { false } else { true }
  }
}
