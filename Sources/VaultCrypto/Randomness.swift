import CSodium
import SecureMemory

/// Random bytes that are public once used: nonces, salts, ids.
///
/// One `getrandom` call serves many nonces: of the 0.8 µs that a seal takes, 0.29 µs would be that
/// call. A forked child throws the pool away, since its parent has the same one. Nobody waits for
/// the pool: in a forked child a thread may hold it that is not there.
package enum Randomness {
  private struct Pool {
    var bytes: [UInt8] = []
    var used = 0
    var canary = ForkCanary()
  }

  private static let poolSize = 6144
  private static let pool = Lock(Pool())

  /// `count` random bytes, each given out once.
  package static func bytes(_ count: Int) -> [UInt8] {
    // The buffer has exactly `count` bytes.
    unsafe [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
      unsafe fill(UnsafeMutableRawBufferPointer(output))
      initialized = count
    }
  }

  /// Fills `output` with random bytes for a key, which pass through no other memory.
  @unsafe static func fillSecretly(_ output: UnsafeMutableRawBufferPointer) {
    Sodium.require()
    unsafe randombytes_buf(output.octets, output.count)
  }

  /// Fills `output` with random bytes, each given out once.
  @unsafe static func fill(_ output: UnsafeMutableRawBufferPointer) {
    Sodium.require()
    guard output.count <= 64 else {
      unsafe fillSecretly(output)
      return
    }
    let wasFilled: Void? = pool.withLockIfFree { pool in
      if pool.used + output.count > pool.bytes.count || pool.canary.isForkedChild {
        // The buffer has exactly `poolSize` bytes.
        pool.bytes = unsafe [UInt8](unsafeUninitializedCapacity: poolSize) { fresh, initialized in
          unsafe randombytes_buf(UnsafeMutableRawBufferPointer(fresh).octets, poolSize)
          initialized = poolSize
        }
        pool.used = 0
        pool.canary = ForkCanary()
      }
      for index in 0..<output.count {
        unsafe output[index] = pool.bytes[pool.used + index]
      }
      pool.used += output.count
    }
    if wasFilled == nil { unsafe fillSecretly(output) }
  }
}
