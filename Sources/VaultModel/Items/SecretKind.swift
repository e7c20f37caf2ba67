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
  /// The keys of a Kerberos principal, as a keytab file has them.
  public static let keytab = SecretKind(rawValue: 3)

  /// The bit of a secret that is also sealed by a PIN.
  private static let pinBit: UInt8 = 0x80

  /// Whether the secret is also sealed by a PIN.
  public var needsPIN: Bool { rawValue & Self.pinBit != 0 }

  /// The kind of the secret that the PIN opens.
  package var withoutPIN: SecretKind { SecretKind(rawValue: rawValue & ~Self.pinBit) }

  /// The kind of the secret when a PIN seals it.
  package var withPIN: SecretKind { SecretKind(rawValue: rawValue | Self.pinBit) }
}

/// The beginning of a secret that is sealed by a PIN: how the PIN's key is derived.
///
/// Source: `Documentation/format.md` §6.7.
package struct PINSealHeader: Equatable, Sendable {
  package static let saltSize = 16
  /// Magic, cost and salt.
  package static let byteCount = 8 + 8 + saltSize
  private static let magic = Array("vltpin01".utf8)

  private let memoryKiB: Int
  private let passes: Int
  package let salt: [UInt8]

  package init(cost: PassphraseCost, salt: [UInt8]) {
    precondition(salt.count == Self.saltSize)
    (memoryKiB, passes) = (cost.memoryKiB, cost.passes)
    self.salt = salt
  }

  /// The cost of trying a PIN.
  ///
  /// - Throws: ``VaultError/Code/tooCostly`` if it is not one that a PIN is given.
  package var cost: PassphraseCost {
    get throws(VaultError) {
      do throws(VaultError) {
        return try PassphraseCost(memoryKiB: memoryKiB, passes: passes)
      } catch {
        throw VaultError(.tooCostly, "PIN: \(error.context)")
      }
    }
  }

  /// Reads the header of a sealed secret; nil if that is not one.
  package init?(reading sealed: Span<UInt8>) {
    guard sealed.count >= Self.byteCount else { return nil }
    let bytes = (0..<Self.byteCount).map { sealed[$0] }
    guard bytes.starts(with: Self.magic) else { return nil }
    memoryKiB = Self.number(bytes[8..<12])
    passes = Self.number(bytes[12..<16])
    salt = Array(bytes[16...])
  }

  package var bytes: [UInt8] {
    Self.magic + Self.bytes(memoryKiB) + Self.bytes(passes) + salt
  }

  /// Returns the number in four bytes, little-endian.
  private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private static func bytes(_ number: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}
