/// The kind of an item's secret.
///
/// The sealed file stores the raw value; unknown values are kept.
public struct SecretKind: RawRepresentable, Hashable, Sendable {
  /// The value in the sealed file.
  public let rawValue: UInt8

  /// Creates a kind from its value in the sealed file.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// A password that a person chose, or a substitute for one.
  public static let password = SecretKind(rawValue: 0)
  /// A token that a service issued, for Bearer; one that is sent in a password's place is stored as
  /// a password.
  public static let token = SecretKind(rawValue: 1)
  /// A private key with its certificates.
  public static let identity = SecretKind(rawValue: 2)

  /// The bit of a secret that is sealed by a PIN, too.
  private static let pinBit: UInt8 = 0x80

  /// Whether the secret is sealed by a PIN, too.
  public var needsPIN: Bool { rawValue & Self.pinBit != 0 }

  /// The kind of the secret that the PIN opens.
  public var withoutPIN: SecretKind { SecretKind(rawValue: rawValue & ~Self.pinBit) }

  /// The kind of the secret when a PIN seals it.
  package var withPIN: SecretKind { SecretKind(rawValue: rawValue | Self.pinBit) }
}
