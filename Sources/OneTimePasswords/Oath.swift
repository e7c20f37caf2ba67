import CVaultOath
import Glibc
import SecureMemory
package import VaultModel

/// The calls of liboath, which hashes.
enum Oath {
  /// Returns the password of a time in seconds since 1970.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if the key is not base 32, or is empty.
  static func password(
    _ password: OneTimePassword, at seconds: Int64
  ) throws(VaultError) -> Secret {
    try unsafe withDecodedKey(password.key) { (key) throws(VaultError) in
      // Room for the digits and the NUL that the library writes; the digits are all that is kept.
      let size = password.digits + 1
      var status = Int32(OATH_OK.rawValue)
      let text = unsafe Secret(count: size) { output in
        // The key and the output are valid during the call, which writes `size` bytes.
        status = unsafe oath_totp_generate2(
          key.baseAddress, key.count, time_t(seconds), UInt32(password.period), 0,
          UInt32(password.digits), flags(password.algorithm),
          output.baseAddress?.assumingMemoryBound(to: CChar.self))
      }
      try require(status)
      return text.prefix(password.digits)
    }
  }

  private static func flags(_ algorithm: OneTimePassword.Algorithm) -> Int32 {
    switch algorithm {
    case .sha1: 0
    case .sha256: Int32(OATH_TOTP_HMAC_SHA256.rawValue)
    case .sha512: Int32(OATH_TOTP_HMAC_SHA512.rawValue)
    }
  }

  /// Calls `body` with the bytes of a key in base 32, and wipes them.
  private static func withDecodedKey<R>(
    _ key: Secret, _ body: (UnsafeBufferPointer<CChar>) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    var decoded: UnsafeMutablePointer<CChar>?
    var count = 0
    let status = key.withRawBytes { bytes in
      unsafe bytes.withUnsafeBytes { text in
        // The text is valid during the call; the library allocates the result.
        unsafe oath_base32_decode(
          text.baseAddress?.assumingMemoryBound(to: CChar.self), text.count, &decoded, &count)
      }
    }
    defer {
      // Its own allocation, of which it wrote `count` bytes.
      if let decoded = unsafe decoded { unsafe explicit_bzero(decoded, count) }
      unsafe free(decoded)
    }
    try require(status)
    guard count > 0 else { throw VaultError(.invalidData, "the key is empty") }
    return try unsafe body(UnsafeBufferPointer(start: decoded, count: count))
  }

  private static func require(_ status: Int32) throws(VaultError) {
    guard status != OATH_OK.rawValue else { return }
    throw VaultError(.invalidData, "the key is not in base 32")
  }
}

extension LinkedLibrary {
  /// The library of one-time passwords.
  package static var oath: LinkedLibrary {
    // Null asks for the version, a constant string.
    LinkedLibrary("liboath", version: unsafe String(cString: oath_check_version(nil)))
  }
}
