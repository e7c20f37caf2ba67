import SecurityConstants

/// A source of random bytes.
public final class SecRandomRef: Sendable {
  private init() {}
}

/// The kernel's source, which is the only one.
public let kSecRandomDefault: SecRandomRef? = nil

/// Fills bytes with random ones of the kernel.
///
/// - Parameters:
///   - rnd: Not used.
///   - count: The number of bytes.
///   - bytes: A place for as many.
/// - Returns: `errSecSuccess`; `errSecParam` for a negative number.
@discardableResult
public func SecRandomCopyBytes(
  _ rnd: SecRandomRef?, _ count: Int, _ bytes: UnsafeMutableRawPointer
) -> Int32 {
  guard count >= 0 else { return errSecParam }
  var generator = SystemRandomNumberGenerator()
  var word: UInt64 = 0
  for index in 0..<count {
    if index % 8 == 0 { word = generator.next() }
    // The caller says that there is a place for as many bytes.
    unsafe bytes.storeBytes(
      of: UInt8(truncatingIfNeeded: word >> (8 * (index % 8))), toByteOffset: index, as: UInt8.self)
  }
  return errSecSuccess
}
