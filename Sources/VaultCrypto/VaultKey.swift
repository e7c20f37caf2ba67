import SecureMemory

/// The random key of one epoch of a vault; everything else is derived from it.
package struct VaultKey: ~Copyable {
  package static let byteCount = 32
  let buffer: KeyBuffer

  /// A new random key.
  package init() {
    buffer = KeyBuffer(random: Self.byteCount)
  }

  init(_ buffer: consuming KeyBuffer) {
    precondition(buffer.count == Self.byteCount)
    self.buffer = buffer
  }
}

/// What a slot's wrap is opened with: the wrapping key and the commitment key, side by side.
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
