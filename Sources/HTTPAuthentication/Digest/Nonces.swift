import CVaultLibcrypto
package import VaultModel

/// A server's nonce and its use count.
///
/// - Source: RFC 7616 §3.4.
struct ServerNonce {
  /// The nonce.
  let text: String
  /// Whether the next use does not answer the challenge that brought the nonce.
  ///
  /// The nonce may have expired since, whatever the server says.
  var isOld: Bool
  /// The nonce of the challenge that began the session: ``text``, unless the server named this one
  /// for the next request.
  let sessionNonce: String
  /// The client's own nonce, the same for each use of the session, as `-sess` requires.
  private var clientNonce: String?
  private var count: UInt32 = 0

  /// Creates the nonce of a challenge.
  init(_ text: String) {
    self.text = text
    isOld = false
    sessionNonce = text
  }

  /// Creates the nonce that a server names for the next request, which goes on with a session if
  /// there is one.
  ///
  /// - Source: RFC 7616 §3.4.2: the session's key is made once, after a challenge.
  init(next text: String, session: ServerNonce?) {
    self.text = text
    isOld = true
    sessionNonce = session?.sessionNonce ?? text
    clientNonce = session?.clientNonce
  }

  /// Calls `body` with both nonces and the next count, which is consumed if it succeeds.
  ///
  /// - Throws: The errors of `body`; ``VaultError/Code/unavailable`` after 2³² - 1 uses.
  mutating func use<R>(
    _ body: (_ nonce: String, _ clientNonce: String, _ count: UInt32) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    guard count < .max else { throw VaultError(.unavailable, "digest: the nonce is used up") }
    let own = if let clientNonce { clientNonce } else { try ClientNonce.make() }
    clientNonce = own
    let result = try body(text, own, count + 1)
    count += 1
    return result
  }
}

/// The client's random part of a Digest response.
package enum ClientNonce {
  private static let byteCount = 16

  /// Returns a nonce of 128 random bits, as 32 hexadecimal digits.
  ///
  /// - Returns: A nonce that nobody else has, not even a forked child.
  /// - Throws: ``VaultError/Code/unavailable`` if there is no randomness.
  package static func make() throws(VaultError) -> String {
    var isRandom = false
    // The memory holds the digits, and in its upper half first the random bytes; all of it is
    // written.
    let text = unsafe String(unsafeUninitializedCapacity: 2 * byteCount) { memory in
      let digits = unsafe UnsafeMutableRawBufferPointer(
        rebasing: UnsafeMutableRawBufferPointer(memory)[..<(2 * byteCount)])
      unsafe digits.initializeMemory(as: UInt8.self, repeating: 48)
      let upperHalf = unsafe memory.baseAddress?.advanced(by: byteCount)
      isRandom = unsafe RAND_bytes(upperHalf, Int32(byteCount)) == 1
      unsafe Hexadecimal.expandUpperHalf(of: digits)
      return 2 * byteCount
    }
    guard isRandom else { throw VaultError(.unavailable, "digest: no randomness") }
    return text
  }
}

/// Hexadecimal digits in lower case, computed without a table, so that no cache line reveals a
/// secret.
enum Hexadecimal {
  /// Expands the bytes in the upper half of `memory` to digits in all of it.
  ///
  /// Each byte is read before its place is written: byte i is at n/2 + i, its digits at 2i and 2i +
  /// 1.
  @unsafe static func expandUpperHalf(of memory: UnsafeMutableRawBufferPointer) {
    let half = memory.count / 2
    for index in 0..<half {
      // 2 · index + 1 and half + index are below the count.
      let byte = unsafe memory[half + index]
      unsafe memory[2 * index] = digit(byte >> 4)
      unsafe memory[2 * index + 1] = digit(byte & 15)
    }
  }

  /// Returns the digit of a number below 16.
  static func digit(_ value: UInt8) -> UInt8 {
    // 9 − value is negative from 10 on; its highest bit then adds the distance between "9" and "a".
    value &+ 48 &+ ((9 &- value) >> 7) &* 39
  }

  /// Returns the eight digits of a number.
  static func digits(_ number: UInt32) -> String {
    // All of the eight bytes are written, within the buffer.
    unsafe String(unsafeUninitializedCapacity: 8) { digits in
      for index in 0..<8 {
        unsafe digits[index] = digit(UInt8(truncatingIfNeeded: number >> (28 - 4 * index)) & 15)
      }
      return 8
    }
  }
}
