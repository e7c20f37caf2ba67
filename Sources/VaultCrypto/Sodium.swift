import CVaultSodium
package import VaultModel

/// libsodium, initialized before its first use.
enum Sodium {
  /// Whether `sodium_init` succeeded; it only fails where the system has no source of randomness.
  static let isReady = sodium_init() >= 0

  /// Initializes libsodium.
  ///
  /// Without randomness, a vault could only write keys that others can guess, so the process ends.
  static func require() {
    precondition(isReady, "libsodium: no source of randomness")
  }
}

/// BLAKE2b in the notation of `Documentation/format.md` §1: `H(count, key, message)`.
package enum Hash {
  /// Returns `count` (16 to 64) bytes of the hash of `message`, under `key` (16 to 64 bytes) if
  /// there is one.
  package static func hash(_ message: [UInt8], count: Int, key: RawSpan? = nil) -> [UInt8] {
    Sodium.require()
    // The output buffer has exactly `count` bytes.
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
      unsafe message.withUnsafeBytes { message in
        unsafe hash(message, into: UnsafeMutableRawBufferPointer(output), key: key)
      }
      initialized = count
    }
  }

  /// Returns the first 8 bytes of the unkeyed hash: a checksum against damage, not against
  /// attackers.
  package static func checksum(_ message: some Collection<UInt8>) -> [UInt8] {
    Array(hash(Array(message), count: 16).prefix(8))
  }

  @unsafe static func hash(
    _ message: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, key: RawSpan?
  ) {
    func run(_ key: UnsafeRawBufferPointer?) {
      let status = unsafe crypto_generichash(
        output.octets, output.count, message.octets, UInt64(message.count), key?.octets,
        key?.count ?? 0)
      precondition(status == 0, "BLAKE2b refuses only lengths, which are constants here")
    }
    if let key {
      unsafe key.withUnsafeBytes { unsafe run($0) }
    } else {
      run(nil)
    }
  }

  /// Hashes a message of several parts, which may be secret; `output` may be one of them.
  @unsafe static func hash(
    _ parts: [UnsafeRawBufferPointer], into output: UnsafeMutableRawBufferPointer, key: RawSpan
  ) {
    // Swift does not import a type of this alignment: the memory has the size and alignment that
    // libsodium wants, and is wiped by `final`.
    unsafe withUnsafeTemporaryAllocation(
      byteCount: crypto_generichash_statebytes(), alignment: 64
    ) { memory in
      guard let base = memory.baseAddress else { return }
      let state = OpaquePointer(base)
      unsafe key.withUnsafeBytes { key in
        _ = unsafe crypto_generichash_init(state, key.octets, key.count, output.count)
      }
      unsafe parts.forEach {
        _ = unsafe crypto_generichash_update(state, $0.octets, UInt64($0.count))
      }
      _ = unsafe crypto_generichash_final(state, output.octets, output.count)
    }
  }
}

// libsodium's pointers are imported as non-null, and an empty buffer has none; nothing is read or
// written through the stand-in, because its length is 0.
extension UnsafeRawBufferPointer {
  @unsafe var octets: UnsafePointer<UInt8> {
    unsafe UnsafePointer(UnsafeMutableRawBufferPointer(mutating: self).octets)
  }
}

extension UnsafeMutableRawBufferPointer {
  @unsafe var octets: UnsafeMutablePointer<UInt8> {
    let start = unsafe baseAddress ?? UnsafeMutableRawPointer(bitPattern: 1)
    guard let start = unsafe start else {
      // unreachable: 1 is not null
      preconditionFailure("a non-null address")
    }
    return unsafe start.assumingMemoryBound(to: UInt8.self)
  }
}

/// The library that encrypts and hashes.
package enum CryptoLibrary {
  /// The version that this process runs.
  package static var version: String {
    // A constant string of the library's.
    unsafe String(cString: sodium_version_string())
  }

  /// The version that this was compiled with.
  package static var builtVersion: String { SODIUM_VERSION_STRING }
}

extension LinkedLibrary {
  package static var sodium: LinkedLibrary {
    // A constant string.
    LinkedLibrary("libsodium", version: unsafe String(cString: sodium_version_string()))
  }
}
