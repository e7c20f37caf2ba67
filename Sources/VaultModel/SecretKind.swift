/// What an item's secret is.
///
/// The raw value is what the sealed file holds; unknown values are kept.
public struct SecretKind: RawRepresentable, Hashable, Sendable {
  /// The value in the sealed file.
  public let rawValue: UInt8

  /// Makes a kind from its value in the sealed file.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// A password that a person chose or that stands for one.
  public static let password = SecretKind(rawValue: 0)
  /// A token that a service issued, sent as a bearer or in a password's place.
  public static let token = SecretKind(rawValue: 1)
  /// A private key with its certificates.
  public static let identity = SecretKind(rawValue: 2)
}
