import CVaultSodium
package import SecureMemory
package import VaultModel

/// A key file: 32 random bytes in a small format of our own, so that no other file is mistaken for
/// a key.
///
/// Source: `Documentation/format.md` §4.2.
package struct KeyFile: Sendable {
  package static let byteCount = 48
  private static let magic = Array("vltkey1\n".utf8)

  let key: Secret

  /// Creates a new random key.
  package init() {
    // libsodium fills the whole buffer.
    key = unsafe Secret(count: 32) { output in unsafe Randomness.fill(output) }
  }

  /// Reads a key file's bytes.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if the length, the magic or the checksum is wrong.
  package init(decoding bytes: RawSpan) throws(VaultError) {
    guard bytes.byteCount == Self.byteCount,
      Self.magic.withSpan({ constantTimeEqual(bytes.extracting(0..<8), $0) }),
      Self.checksum(bytes).withSpan({ constantTimeEqual(bytes.extracting(40..<48), $0) })
    else {
      throw VaultError(.invalidData, "not a vault's key file, or damaged")
    }
    key = Secret(copying: bytes.extracting(8..<40))
  }

  /// Returns the 48 bytes that ``init(decoding:)`` reads.
  package func encoded() -> Secret {
    let magic = Self.magic
    return key.withRawBytes { key in
      // 8 + 32 + 8 bytes into a buffer of 48.
      unsafe Secret(count: Self.byteCount) { output in
        unsafe output.copyBytes(from: magic)
        unsafe key.withUnsafeBytes { key in
          unsafe UnsafeMutableRawBufferPointer(rebasing: output[8..<40]).copyMemory(from: key)
        }
        let checksum = unsafe Self.checksum(UnsafeRawBufferPointer(output).bytes)
        unsafe UnsafeMutableRawBufferPointer(rebasing: output[40...]).copyBytes(from: checksum)
      }
    }
  }

  // MARK: Text

  /// The characters of the text: 48 bytes in base 64 without padding.
  private static let characterCount = 64

  /// Returns the key file as one line of text, base 64 for URLs and variables (RFC 4648 §5).
  package func text() -> Secret {
    encoded().withRawBytes { bytes in
      // 64 characters and the NUL that libsodium writes; both buffers live through the call.
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe Secret(count: Self.characterCount + 1) { output in
          unsafe sodium_bin2base64(
            UnsafeMutableRawPointer(output.octets).assumingMemoryBound(to: CChar.self),
            output.count, bytes.octets, bytes.count, sodium_base64_VARIANT_URLSAFE_NO_PADDING)
        }
      }
    }.prefix(Self.characterCount)
  }

  /// Reads a key file's text; blanks and line ends anywhere are not part of it.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if it is not the text of a key file, or mistyped.
  package init(reading text: Secret) throws(VaultError) {
    var count = 0
    let bytes = unsafe Secret(count: Self.byteCount) { output in
      text.withRawBytes { text in
        // Both buffers live through the call, which writes at most 48 bytes.
        unsafe text.withUnsafeBytes { text in
          let status = unsafe sodium_base642bin(
            output.octets, output.count,
            UnsafeRawPointer(text.octets).assumingMemoryBound(to: CChar.self), text.count,
            " \t\r\n", &count, nil, sodium_base64_VARIANT_URLSAFE_NO_PADDING)
          if status != 0 { count = 0 }
        }
      }
    }
    guard count == Self.byteCount else {
      throw VaultError(.invalidData, "not a vault's key file, or damaged")
    }
    self = try bytes.withRawBytes { (bytes) throws(VaultError) in try KeyFile(decoding: bytes) }
  }

  /// Returns the first 8 bytes of the hash of a key file's first 40.
  private static func checksum(_ bytes: RawSpan) -> [UInt8] {
    // The output buffer has exactly 16 bytes; only the hash of the key leaves guarded memory.
    let hash = unsafe bytes.extracting(0..<40).withUnsafeBytes { bytes in
      unsafe [UInt8](unsafeUninitializedCapacity: 16) { output, initialized in
        unsafe Hash.hash(bytes, into: UnsafeMutableRawBufferPointer(output), key: nil)
        initialized = 16
      }
    }
    return Array(hash.prefix(8))
  }
}
