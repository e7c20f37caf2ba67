import SecureMemory

/// The random key of one epoch of a vault; everything else is derived from it.
package struct VaultKey: ~Copyable {
  package static let byteCount = 32
  let buffer: KeyBuffer

  /// Creates a new random key.
  package init() {
    buffer = KeyBuffer(random: Self.byteCount)
  }

  init(_ buffer: consuming KeyBuffer) {
    precondition(buffer.count == Self.byteCount)
    self.buffer = buffer
  }
}

/// The keys that open a slot's wrap: the wrapping key and the commitment key, side by side.
///
/// Source: `Documentation/format.md` §4.1.
package struct SlotKey: ~Copyable {
  static let byteCount = 64
  let buffer: KeyBuffer

  init(_ buffer: consuming KeyBuffer) {
    precondition(buffer.count == Self.byteCount)
    self.buffer = buffer
  }
}
