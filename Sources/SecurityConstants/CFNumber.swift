/// A number, in an object: `as CFNumber` takes each of Swift's, and `as? Int` takes it out again.
public typealias CFNumber = AnyObject

/// How a number is laid out, with Apple's numbers.
public enum CFNumberType: CFIndex, Sendable {
  /// A byte with a sign.
  case sInt8Type = 1
  /// Two bytes with a sign.
  case sInt16Type = 2
  /// Four bytes with a sign.
  case sInt32Type = 3
  /// Eight bytes with a sign.
  case sInt64Type = 4
  /// A `Float`.
  case float32Type = 5
  /// A `Double`.
  case float64Type = 6
  /// A `CChar`.
  case charType = 7
  /// A `CShort`.
  case shortType = 8
  /// A `CInt`.
  case intType = 9
  /// A `CLong`.
  case longType = 10
  /// A `CLongLong`.
  case longLongType = 11
  /// A `CFloat`.
  case floatType = 12
  /// A `CDouble`.
  case doubleType = 13
  /// A `CFIndex`.
  case cfIndexType = 14
  /// An `Int`.
  case nsIntegerType = 15
  /// A `Double`, as on systems of 64 bits.
  case cgFloatType = 16
}

/// Returns the number at an address.
///
/// - Parameters:
///   - allocator: Not used.
///   - theType: How the number is laid out.
///   - valuePtr: The address of such a number.
/// - Returns: The number.
public func CFNumberCreate(
  _ allocator: CFAllocator?, _ theType: CFNumberType, _ valuePtr: UnsafeRawPointer
) -> CFNumber? {
  // The caller says that there is a number of this type.
  switch theType.layout {
  case .integer(1): Int(unsafe valuePtr.loadUnaligned(as: Int8.self)) as AnyObject
  case .integer(2): Int(unsafe valuePtr.loadUnaligned(as: Int16.self)) as AnyObject
  case .integer(4): Int(unsafe valuePtr.loadUnaligned(as: Int32.self)) as AnyObject
  case .integer: Int(unsafe valuePtr.loadUnaligned(as: Int64.self)) as AnyObject
  case .real(4): Double(unsafe valuePtr.loadUnaligned(as: Float.self)) as AnyObject
  case .real: unsafe valuePtr.loadUnaligned(as: Double.self) as AnyObject
  }
}

/// Writes a number to an address.
///
/// - Parameters:
///   - number: The number.
///   - theType: How to lay it out.
///   - valuePtr: A place for such a number.
/// - Returns: False if the type does not have the value; the nearest one is written then.
@discardableResult
public func CFNumberGetValue(
  _ number: CFNumber, _ theType: CFNumberType, _ valuePtr: UnsafeMutableRawPointer
) -> Bool {
  let real = (number as? Double) ?? (number as? Int).map(Double.init)
  let whole = (number as? Int) ?? real.map(nearestInteger)
  guard let real, let whole else { return false }

  /// Writes a value, and returns whether it is the number.
  func write<Value: BitwiseCopyable>(_ value: Value, _ isExact: Bool) -> Bool {
    // The caller says that there is a place for this type.
    unsafe valuePtr.storeBytes(of: value, as: Value.self)
    return isExact
  }
  func write<Value: BitwiseCopyable & FixedWidthInteger>(integer type: Value.Type) -> Bool {
    write(Value(clamping: whole), Value(exactly: whole) != nil && Double(whole) == real)
  }
  return switch theType.layout {
  case .integer(1): write(integer: Int8.self)
  case .integer(2): write(integer: Int16.self)
  case .integer(4): write(integer: Int32.self)
  case .integer: write(integer: Int64.self)
  case .real(4): write(Float(real), Double(Float(real)) == real)
  case .real: write(real, number as? Int == nil || Int(exactly: real) == whole)
  }
}

/// Returns the nearest integer towards 0; 0 for what is no number.
private func nearestInteger(_ real: Double) -> Int {
  if real.isNaN { return 0 }
  return Int(exactly: real.rounded(.towardZero)) ?? (real < 0 ? .min : .max)
}

extension CFNumberType {
  fileprivate enum Layout {
    /// The number of bytes.
    case integer(Int), real(Int)
  }

  fileprivate var layout: Layout {
    switch self {
    case .sInt8Type, .charType: .integer(1)
    case .sInt16Type, .shortType: .integer(2)
    case .sInt32Type, .intType: .integer(4)
    case .sInt64Type, .longType, .longLongType, .cfIndexType, .nsIntegerType: .integer(8)
    case .float32Type, .floatType: .real(4)
    case .float64Type, .doubleType, .cgFloatType: .real(8)
    }
  }
}
