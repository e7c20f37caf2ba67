import CVaultSodium
import SecureMemory
import VaultModel

/// XChaCha20-Poly1305 (IETF construction) with the nonces of ``Nonce``: `nonce ‖ ciphertext ‖ tag`.
///
/// Source: `Documentation/format.md` §1; libsodium, `crypto_aead_xchacha20poly1305_ietf`.
enum Sealing {
  static let nonceSize = Nonce.byteCount
  static let tagSize = 16
  /// The difference in length between a sealed value and its plaintext.
  static let overhead = nonceSize + tagSize

  /// Seals `plaintext` into `output`, which is ``overhead`` bytes longer and separate memory.
  @unsafe static func seal(
    _ plaintext: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer,
    key: RawSpan, nonceKey: RawSpan, associatedData: [UInt8]
  ) {
    precondition(output.count == plaintext.count + overhead && key.byteCount == 32)
    unsafe Nonce.make(
      UnsafeMutableRawBufferPointer(rebasing: output[..<nonceSize]), key: nonceKey,
      associatedData: associatedData, plaintext: plaintext)
    // Lengths were checked above; libsodium writes plaintext.count + 16 bytes after the nonce.
    let bytes = unsafe output.octets
    unsafe key.withUnsafeBytes { key in
      unsafe associatedData.withUnsafeBytes { associatedData in
        _ = unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
          bytes + nonceSize, nil, plaintext.octets, UInt64(plaintext.count),
          associatedData.octets, UInt64(associatedData.count), nil, bytes, key.octets)
      }
    }
  }

  /// Opens `sealed` into `output`, which is ``overhead`` bytes shorter.
  ///
  /// - Returns: False if the key, the associated data or any byte differs from the sealing;
  ///   `output` is then all zeros.
  @unsafe static func open(
    _ sealed: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer,
    key: RawSpan, associatedData: [UInt8]
  ) -> Bool {
    precondition(sealed.count == output.count + overhead && key.byteCount == 32)
    // Lengths were checked above; libsodium writes sealed.count − 24 − 16 bytes.
    let bytes = unsafe sealed.octets
    let status = unsafe key.withUnsafeBytes { key in
      unsafe associatedData.withUnsafeBytes { associatedData in
        unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
          output.octets, nil, nil, bytes + nonceSize, UInt64(sealed.count - nonceSize),
          associatedData.octets, UInt64(associatedData.count), bytes, key.octets)
      }
    }
    return status == 0
  }

  /// Returns whether `sealed`, which has at least ``overhead`` bytes, would open.
  ///
  /// Without an output, libsodium compares the tag and writes nothing.
  @unsafe static func isAuthentic(
    _ sealed: UnsafeRawBufferPointer, key: RawSpan, associatedData: [UInt8]
  ) -> Bool {
    precondition(sealed.count >= overhead && key.byteCount == 32)
    let bytes = unsafe sealed.octets
    let status = unsafe key.withUnsafeBytes { key in
      unsafe associatedData.withUnsafeBytes { associatedData in
        unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
          nil, nil, nil, bytes + nonceSize, UInt64(sealed.count - nonceSize),
          associatedData.octets, UInt64(associatedData.count), bytes, key.octets)
      }
    }
    return status == 0
  }
}
