import CVaultSodium
import SecureMemory

/// Random bytes from the kernel's generator.
package enum Randomness {
  /// Returns `count` random bytes for values that become public: ids and salts.
  package static func bytes(_ count: Int) -> [UInt8] {
    // The buffer has exactly `count` bytes.
    unsafe [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
      unsafe fill(UnsafeMutableRawBufferPointer(output))
      initialized = count
    }
  }

  /// Fills `output` directly with random bytes, without another copy in memory.
  @unsafe static func fill(_ output: UnsafeMutableRawBufferPointer) {
    Sodium.require()
    unsafe randombytes_buf(output.octets, output.count)
  }
}

/// A stock of random bytes for nonces.
///
/// A seed from the kernel, expanded by ChaCha20, serves many nonces. Of the 0.8 µs that a seal
/// takes, a call for each would take 0.29 µs, and the bytes themselves 0.07 µs if the kernel made
/// them. A forked child discards the stock, since its parent has the same one. A memory snapshot
/// restores it without notice, so ``Nonce`` does not rely on it alone. Nobody waits for the stock:
/// in a forked child, it may be held by a thread that does not exist there.
enum RandomStock {
  struct Stock {
    var bytes: [UInt8] = []
    var used = 0
    var canary = ForkCanary()
  }

  private static let size = 6144
  /// Internal for the tests, which restore an earlier state as a snapshot does.
  static let stock = Lock(Stock())

  /// Fills `output`, a few bytes, with random bytes that are never reused.
  @unsafe static func fill(_ output: UnsafeMutableRawBufferPointer) {
    Sodium.require()
    precondition(output.count <= size)
    let wasFilled: Void? = stock.withLockIfFree { stock in
      if stock.used + output.count > stock.bytes.count || stock.canary.isForkedChild {
        stock.bytes = Self.expanded()
        stock.used = 0
        stock.canary = ForkCanary()
      }
      // The stock has at least as many bytes behind `used`.
      unsafe stock.bytes.withUnsafeBytes { bytes in
        unsafe output.copyMemory(
          from: UnsafeRawBufferPointer(rebasing: bytes[stock.used..<stock.used + output.count]))
      }
      stock.used += output.count
    }
    if wasFilled == nil { unsafe Randomness.fill(output) }
  }

  private static func expanded() -> [UInt8] {
    // The seed has the size that libsodium wants, and the array `size` bytes.
    unsafe withUnsafeTemporaryAllocation(
      byteCount: randombytes_seedbytes(), alignment: 8
    ) { seed in
      defer { unsafe wipe(seed) }
      unsafe Randomness.fill(seed)
      return unsafe [UInt8](unsafeUninitializedCapacity: size) { output, initialized in
        unsafe randombytes_buf_deterministic(
          UnsafeMutableRawBufferPointer(output).octets, size, seed.octets)
        initialized = size
      }
    }
  }
}
