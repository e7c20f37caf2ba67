import CVaultLibcrypto
import SecureMemory
import VaultModel

/// A key in libcrypto's heap, which is neither locked nor guarded: for one operation only.
// Proof: the pointer is of this object alone, and is freed, which wipes it, with it.
@safe final class LoadedKey {
  private let pointer: OpaquePointer

  init(_ key: AsymmetricKey) throws(VaultError) {
    let loaded: OpaquePointer?
    if let privateKey = key.privateKey {
      unsafe loaded = privateKey.pkcs8.withOctets { bytes -> OpaquePointer? in
        var position = bytes.baseAddress
        // It reads no more than is said.
        return unsafe d2i_AutoPrivateKey(nil, &position, bytes.count)
      }
    } else {
      unsafe loaded = try key.publicKeyInfo.withUnsafeBufferPointer { bytes -> OpaquePointer? in
        var position = bytes.baseAddress
        // As above.
        return unsafe d2i_PUBKEY(nil, &position, bytes.count)
      }
    }
    guard let loaded = unsafe loaded else {
      ERR_clear_error()
      throw VaultError(.invalidData, "key: malformed")
    }
    unsafe pointer = loaded
  }

  /// Takes over a key of libcrypto's.
  @unsafe init(owning pointer: OpaquePointer) {
    unsafe self.pointer = pointer
  }

  deinit {
    // As above; the contexts that use it are freed before.
    unsafe EVP_PKEY_free(pointer)
  }

  /// Calls `body` with a context of the key, which is valid until it returns; nil becomes an error.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if `body` returns nil: libcrypto refused what it
  ///   was given.
  @unsafe func withContext<R>(_ body: (OpaquePointer) -> R?) throws(VaultError) -> R {
    // Freed at the end of this function.
    guard let context = unsafe EVP_PKEY_CTX_new(pointer, nil) else { throw Crypto.noMemory }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    guard let result = unsafe body(context) else {
      ERR_clear_error()
      throw Self.refused
    }
    ERR_clear_error()
    return result
  }

  /// Calls `body` with the key as another one's peer.
  @unsafe func withPeer<R>(_ body: (OpaquePointer) -> R) -> R { unsafe body(pointer) }

  /// The error of bytes that libcrypto refuses with a key.
  static var refused: VaultError {
    VaultError(.invalidArgument, "key: it cannot be used for these bytes")
  }

  /// Calls `body` with the key, as ``withContext(_:)`` does with a context.
  @unsafe func withPointer<R>(_ body: (OpaquePointer) -> R?) throws(VaultError) -> R {
    guard let result = unsafe body(pointer) else {
      ERR_clear_error()
      throw Self.refused
    }
    ERR_clear_error()
    return result
  }
}
