/// The beginning of a secret that is sealed by a PIN: how the PIN's key is derived.
///
/// Source: `Documentation/format.md` §6.8.
package struct PINSealHeader: Equatable, Sendable {
  package static let saltSize = 16
  /// Magic, cost and salt.
  package static let byteCount = 8 + 8 + saltSize
  private static let magic = Array("vltpin01".utf8)

  package let cost: PassphraseCost
  package let salt: [UInt8]

  package init(cost: PassphraseCost, salt: [UInt8]) {
    precondition(salt.count == Self.saltSize)
    self.cost = cost
    self.salt = salt
  }

  /// Reads the header of a sealed secret; nil if that is not one, or its cost is out of bounds.
  package init?(reading sealed: Span<UInt8>) {
    guard sealed.count >= Self.byteCount else { return nil }
    let bytes = (0..<Self.byteCount).map { sealed[$0] }
    guard bytes.starts(with: Self.magic) else { return nil }
    do throws(VaultError) {
      cost = try PassphraseCost(
        memoryKiB: Self.number(bytes[8..<12]), passes: Self.number(bytes[12..<16]))
    } catch {
      return nil
    }
    salt = Array(bytes[16...])
  }

  package var bytes: [UInt8] {
    Self.magic + Self.bytes(cost.memoryKiB) + Self.bytes(cost.passes) + salt
  }

  /// Four bytes, little-endian.
  private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private static func bytes(_ number: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }
}
