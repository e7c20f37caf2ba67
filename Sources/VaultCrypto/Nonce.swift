import CVaultSodium
import SecureMemory

/// Nonces derived from fresh randomness and the sealed content.
///
/// If a process's memory is copied, as by a snapshot of a virtual machine or a checkpoint, the
/// process exists twice with the same stock of random bytes, and on some machines with the same
/// state of the kernel's generator. A purely random nonce would then be used twice, for two
/// plaintexts. This nonce repeats only if everything that is sealed is the same.
///
/// Source: `Documentation/format.md` §1.1.
enum Nonce {
  static let byteCount = 24
  static let keySize = 32

  /// Makes the nonce for one seal.
  ///
  /// - Parameters:
  ///   - nonce: The 24 bytes to write.
  ///   - key: The 32 bytes that belong to the sealing key.
  ///   - associatedData: The data that the seal is bound to.
  ///   - plaintext: The plaintext to seal.
  @unsafe static func make(
    _ nonce: UnsafeMutableRawBufferPointer, key: RawSpan, associatedData: [UInt8],
    plaintext: UnsafeRawBufferPointer
  ) {
    unsafe RandomStock.fill(nonce)
    unsafe derive(nonce, key, associatedData, plaintext)
  }

  /// Replaces the 24 fresh bytes in `nonce` with the nonce: `H(24, key, fresh bytes ‖ u64 length of
  /// the associated data ‖ associated data ‖ plaintext)`.
  @unsafe static func derive(
    _ nonce: UnsafeMutableRawBufferPointer, _ key: RawSpan, _ associatedData: [UInt8],
    _ plaintext: UnsafeRawBufferPointer
  ) {
    precondition(nonce.count == byteCount && key.byteCount == keySize)
    let count = UInt64(associatedData.count).littleEndian
    // All buffers live through the call, and `nonce` is read before it is written.
    unsafe withUnsafeBytes(of: count) { count in
      unsafe associatedData.withUnsafeBytes { associatedData in
        unsafe Hash.hash(
          [UnsafeRawBufferPointer(nonce), count, associatedData, plaintext], into: nonce, key: key)
      }
    }
  }
}
