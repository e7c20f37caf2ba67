/// A vault's random identifier, which never changes.
public struct VaultID: Hashable, Sendable {
  package static let byteCount = 16
  /// Exactly 16 bytes.
  public let bytes: [UInt8]

  /// Creates an ID from what are 16 bytes.
  package init(trusted bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Creates an ID from its bytes; nil unless there are 16.
  public init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = Array(bytes)
  }

  /// Creates an ID from its hexadecimal digits; nil unless there are 32.
  public init?(hexadecimal text: String) {
    guard let bytes = [UInt8](hexadecimal: text) else { return nil }
    self.init(bytes[...])
  }

  /// 32 lower-case hexadecimal digits.
  public var hex: String { String(hexadecimal: bytes) }
}
