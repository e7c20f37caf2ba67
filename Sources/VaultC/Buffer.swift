public import CVault
import Glibc
import SecureMemory
import VaultModel

/// Memory given to the caller: a block of `malloc`, so that its address alone identifies the bytes
/// to wipe.
enum Buffer {
  /// Copies a secret; a NUL follows it.
  ///
  /// - Throws: ``VaultError/Code/outOfMemory``.
  static func copy(_ secret: Secret) throws(VaultError) -> UnsafeMutableRawPointer {
    // The block is the caller's, whoever allocates it.
    try unsafe secret.withRawBytes { (bytes) throws(VaultError) in try unsafe copy(bytes) }
  }

  /// Copies a text's UTF-8; a NUL follows it.
  ///
  /// - Throws: ``VaultError/Code/outOfMemory``.
  static func copy(_ text: String) throws(VaultError) -> UnsafeMutableRawPointer {
    // A view of bytes: every bit pattern of UTF-8 is valid as raw bytes.
    try unsafe copy(text.utf8.span.bytes)
  }

  /// Copies bytes; a NUL follows them.
  ///
  /// - Throws: ``VaultError/Code/outOfMemory``.
  static func copy(_ bytes: RawSpan) throws(VaultError) -> UnsafeMutableRawPointer {
    let count = bytes.byteCount
    guard let block = unsafe malloc(count + 1) else {
      throw VaultError(.outOfMemory, "allocate what is given out")
    }
    // The block is new and one byte longer than what is copied into it.
    unsafe bytes.withUnsafeBytes { source in
      let target = unsafe UnsafeMutableRawBufferPointer(start: block, count: count + 1)
      unsafe target.copyMemory(from: source)
      unsafe target[count] = 0
    }
    return unsafe block
  }
}

extension vault_buffer_t {
  /// Creates a buffer for the caller.
  ///
  /// - Throws: ``VaultError/Code/outOfMemory``.
  init(copying text: String) throws(VaultError) {
    // The block is as long as the text and a NUL.
    unsafe self.init(try Buffer.copy(text), count: text.utf8.count)
  }

  /// Creates a buffer for the caller.
  ///
  /// - Throws: ``VaultError/Code/outOfMemory``.
  init(copying data: [UInt8]) throws(VaultError) {
    // The block is as long as the bytes and a NUL.
    unsafe self.init(try Buffer.copy(data.span.bytes), count: data.count)
  }

  /// Creates a buffer for the caller; nil gives an empty one.
  ///
  /// - Throws: ``VaultError/Code/outOfMemory``.
  init(copying secret: Secret?) throws(VaultError) {
    guard let secret else {
      // The block is as long as a NUL.
      unsafe self.init(try Buffer.copy(""), count: 0)
      return
    }
    // The block is as long as the secret and a NUL.
    unsafe self.init(try Buffer.copy(secret), count: secret.count)
  }

  private init(_ block: UnsafeMutableRawPointer, count: Int) {
    // The block holds bytes, which any type may read.
    unsafe self.init(bytes: block.assumingMemoryBound(to: CChar.self), count: count)
  }
}

/// Wipes and frees the bytes of a buffer; the contract is in `vault.h`.
@c @implementation
public func vault_buffer_free(_ buffer: UnsafeMutablePointer<vault_buffer_t>?) {
  guard let buffer = unsafe buffer else { return }
  // The bytes are a block of `malloc`, or nil: the caller got them from ``Buffer``.
  unsafe wipeAndFree(buffer.pointee.bytes)
  unsafe buffer.pointee = vault_buffer_t()
}
