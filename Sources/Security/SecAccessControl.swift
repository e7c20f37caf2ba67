public import SecurityConstants

/// The conditions for reading an item.
///
/// A vault cannot ask for a person at each use: with any flag, `SecItemAdd` and `SecItemUpdate`
/// return `errSecParam`. Without flags it is the same as `kSecAttrAccessible`.
public final class SecAccessControl: Sendable {
  let protection: String
  let flags: SecAccessControlCreateFlags

  init(_ protection: String, _ flags: SecAccessControlCreateFlags) {
    self.protection = protection
    self.flags = flags
  }
}

extension SecAccessControl: Hashable {
  /// Returns whether both have the same protection and the same flags.
  public static func == (left: SecAccessControl, right: SecAccessControl) -> Bool {
    left.protection == right.protection && left.flags == right.flags
  }

  /// Hashes the protection and the flags.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(protection)
    hasher.combine(flags.rawValue)
  }
}

/// The conditions of each use of an item.
public struct SecAccessControlCreateFlags: OptionSet, Sendable {
  /// The bits, as on Apple's systems.
  public let rawValue: UInt

  /// Creates the set of some bits.
  public init(rawValue: UInt) {
    self.rawValue = rawValue
  }

  /// A person, by any means.
  public static let userPresence = Self(rawValue: 1 << 0)
  /// A finger or face.
  public static let biometryAny = Self(rawValue: 1 << 1)
  /// The finger or face that is enrolled now.
  public static let biometryCurrentSet = Self(rawValue: 1 << 3)
  /// As ``biometryAny``, by its former name.
  public static let touchIDAny = Self.biometryAny
  /// As ``biometryCurrentSet``, by its former name.
  public static let touchIDCurrentSet = Self.biometryCurrentSet
  /// The device's passcode.
  public static let devicePasscode = Self(rawValue: 1 << 4)
  /// Another device of the person's that is near.
  public static let companion = Self(rawValue: 1 << 5)
  /// As ``companion``, by its former name.
  public static let watch = Self.companion
  /// One condition is enough.
  public static let or = Self(rawValue: 1 << 14)
  /// All conditions are needed.
  public static let and = Self(rawValue: 1 << 15)
  /// A private key signs, but does not leave its hardware.
  public static let privateKeyUsage = Self(rawValue: 1 << 30)
  /// A password of the application's own.
  public static let applicationPassword = Self(rawValue: 1 << 31)
}

/// Creates the value of `kSecAttrAccessControl`.
///
/// - Parameters:
///   - allocator: Not used.
///   - protection: One of the `kSecAttrAccessible` constants.
///   - flags: The conditions of each use.
///   - error: Not used: creating it never fails for a text.
/// - Returns: The value; nil if the protection is not text.
public func SecAccessControlCreateWithFlags(
  _ allocator: CFAllocator?, _ protection: Any, _ flags: SecAccessControlCreateFlags,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
  (protection as? String).map { SecAccessControl($0, flags) }
}
