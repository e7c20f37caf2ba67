import CSodium
import SecureMemory

/// Nonces derived from fresh randomness and the sealed content.
///
/// If a process's memory is copied, as by a snapshot of a virtual machine or a checkpoint, the
/// process exists twice with the same stock of random bytes, and on some machines with the same
/// state of the kernel's generator. A purely random nonce would then be used twice, for two
/// plaintexts. This nonce repeats only if everything that is sealed is the same.
///
/// Poly1305 is a universal hash, and takes a quarter of the time of BLAKE2b for a row of 8 KiB. Its
/// result is published only through HChaCha20 under a separate key. Source:
/// `Documentation/format.md` §1.
enum Nonce {
  static let byteCount = 24
  /// The key of the last step and, of the second half, the key of the hash.
  static let keySize = 64

  /// Makes the nonce for one seal.
  ///
  /// - Parameters:
  ///   - nonce: The 24 bytes to write.
  ///   - key: The 64 bytes that belong to the sealing key.
  ///   - associatedData: The data that the seal is bound to.
  ///   - plaintext: The plaintext to seal.
  @unsafe static func make(
    _ nonce: UnsafeMutableRawBufferPointer, key: RawSpan, associatedData: [UInt8],
    plaintext: UnsafeRawBufferPointer
  ) {
    precondition(nonce.count == byteCount && key.byteCount == keySize)
    // 8 bytes that are the beginning of the nonce, and 16 that are added to the hash.
    unsafe RandomStock.fill(nonce)
    unsafe make(nonce, key, associatedData, plaintext)
  }

  /// Makes the nonce for one seal from the 24 fresh bytes in it.
  @unsafe static func make(
    _ nonce: UnsafeMutableRawBufferPointer, _ key: RawSpan, _ associatedData: [UInt8],
    _ plaintext: UnsafeRawBufferPointer
  ) {
    let fresh = unsafe UnsafeMutableRawBufferPointer(rebasing: nonce[8...])
    // 32 bytes of Poly1305's key, which become HChaCha20's output, and its 16 of input.
    unsafe withUnsafeTemporaryAllocation(byteCount: 48, alignment: 16) { scratch in
      defer { unsafe wipe(scratch) }
      let hashKey = unsafe UnsafeMutableRawBufferPointer(rebasing: scratch[..<32])
      let hash = unsafe UnsafeMutableRawBufferPointer(rebasing: scratch[32...])
      unsafe key.extracting(32..<48).withUnsafeBytes { unsafe hashKey.copyMemory(from: $0) }
      unsafe UnsafeMutableRawBufferPointer(rebasing: hashKey[16...])
        .copyMemory(from: UnsafeRawBufferPointer(fresh))
      unsafe Self.hash(associatedData, plaintext, key: hashKey, into: hash)
      unsafe key.withUnsafeBytes { key in
        // 16 bytes in, 32 out, under the first 32 of the key.
        _ = unsafe crypto_core_hchacha20(hashKey.octets, hash.octets, key.octets, nil)
      }
      unsafe fresh.copyMemory(from: UnsafeRawBufferPointer(rebasing: scratch[..<16]))
    }
  }

  /// Writes Poly1305 of `u64 length of the associated data ‖ associated data ‖ plaintext`.
  private static func hash(
    _ associatedData: [UInt8], _ plaintext: UnsafeRawBufferPointer,
    key: UnsafeMutableRawBufferPointer, into hash: UnsafeMutableRawBufferPointer
  ) {
    var count = UInt64(associatedData.count).littleEndian
    // The state has the size and alignment that libsodium wants, and is wiped by `final`.
    unsafe withUnsafeTemporaryAllocation(
      byteCount: MemoryLayout<crypto_onetimeauth_state>.size, alignment: 16
    ) { memory in
      guard
        let state = unsafe memory.bindMemory(to: crypto_onetimeauth_state.self).baseAddress
      else { return }
      unsafe crypto_onetimeauth_init(state, key.octets)
      unsafe withUnsafeBytes(of: &count) { count in
        _ = unsafe crypto_onetimeauth_update(state, count.octets, UInt64(count.count))
      }
      unsafe associatedData.withUnsafeBytes { data in
        _ = unsafe crypto_onetimeauth_update(state, data.octets, UInt64(data.count))
      }
      unsafe crypto_onetimeauth_update(state, plaintext.octets, UInt64(plaintext.count))
      unsafe crypto_onetimeauth_final(state, hash.octets)
    }
  }
}
