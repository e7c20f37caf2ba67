import CVaultLibcrypto
import SecureMemory
import VaultModel

/// The functions that make keys of passphrases.
enum KeyDerivation {
  /// Derives a key by PBKDF2 (RFC 8018 §5.2).
  static func pbkdf2(
    _ passphrase: Secret, salt: [UInt8], iterations: Int, _ hash: Hash, count: Int
  ) throws(VaultError) -> Secret {
    try unsafe Secret(count: count) { memory throws(VaultError) in
      let target = unsafe memory.bindMemory(to: UInt8.self).baseAddress
      // The key has `count` bytes; salt and passphrase are read during the call.
      let status = unsafe passphrase.withOctets { bytes in
        unsafe bytes.withMemoryRebound(to: CChar.self) { text in
          unsafe PKCS5_PBKDF2_HMAC(
            text.baseAddress, Int32(text.count), salt, Int32(salt.count), Int32(iterations),
            hash.function, Int32(count), target)
        }
      }
      guard status == 1 else { throw Crypto.failed }
    }
  }

  /// Derives a key by scrypt (RFC 7914).
  static func scrypt(
    _ passphrase: Secret, salt: [UInt8], cost: Int, blocks: Int, parallel: Int, count: Int
  ) throws(VaultError) -> Secret {
    // 256 MiB, and some two seconds.
    guard (1...1 << 24).contains(cost), (1...1 << 16).contains(blocks),
      (1...1 << 16).contains(parallel), cost * blocks <= 1 << 21,
      cost * blocks * parallel <= 1 << 22
    else {
      throw VaultError(.tooCostly, "identity file: scrypt would take more than is allowed here")
    }
    return try unsafe Secret(count: count) { memory throws(VaultError) in
      let target = unsafe memory.bindMemory(to: UInt8.self).baseAddress
      // The key has `count` bytes; salt and passphrase are read during the call.
      let status = unsafe passphrase.withOctets { bytes in
        unsafe bytes.withMemoryRebound(to: CChar.self) { text in
          unsafe EVP_PBE_scrypt(
            text.baseAddress, text.count, salt, salt.count, UInt64(cost), UInt64(blocks),
            UInt64(parallel), 1 << 29, target, count)
        }
      }
      guard status == 1 else { throw Crypto.failed }
    }
  }

  /// The purpose of a key of PKCS #12.
  enum Purpose: UInt8 {
    case key = 1
    case iv = 2
    case mac = 3
  }

  /// Derives a key by the function of PKCS #12 (RFC 7292 B.2), which is here because libcrypto's
  /// leaves passphrase and key in its heap.
  static func pkcs12(
    _ passphrase: Secret, salt: [UInt8], iterations: Int, _ hash: Hash, _ purpose: Purpose,
    count: Int
  ) throws(VaultError) -> Secret {
    let (u, v) = (hash.count, hash.blockCount)
    let saltCount = salt.isEmpty ? 0 : (salt.count + v - 1) / v * v
    let inputCount = saltCount + (passphrase.count + v - 1) / v * v
    let rounds = (count + u - 1) / u
    // Of this function alone; freeing it wipes it.
    guard let context = unsafe EVP_MD_CTX_new() else { throw Crypto.noMemory }
    defer { unsafe EVP_MD_CTX_free(context) }
    let function = unsafe hash.function
    let diversifier = [UInt8](repeating: purpose.rawValue, count: v)
    // In this order: the input, the bytes that are added to it, the keys.
    let work = try unsafe Secret(count: inputCount + v + rounds * u) { memory throws(VaultError) in
      guard let start = unsafe memory.bindMemory(to: UInt8.self).baseAddress else { return }
      for index in 0..<saltCount { unsafe start[index] = salt[index % salt.count] }
      for index in saltCount..<inputCount {
        unsafe start[index] = passphrase[(index - saltCount) % passphrase.count]
      }
      let added = unsafe start + inputCount
      for round in 0..<rounds {
        // Each hash has room for `u` bytes of the keys; the input ends where `added` begins.
        let output = unsafe added + v + round * u
        guard unsafe EVP_DigestInit_ex2(context, function, nil) == 1,
          unsafe EVP_DigestUpdate(context, diversifier, v) == 1,
          unsafe EVP_DigestUpdate(context, start, inputCount) == 1,
          unsafe EVP_DigestFinal_ex(context, output, nil) == 1
        else { throw Crypto.failed }
        for _ in 1..<max(iterations, 1) {
          guard unsafe EVP_DigestInit_ex2(context, nil, nil) == 1,
            unsafe EVP_DigestUpdate(context, output, u) == 1,
            unsafe EVP_DigestFinal_ex(context, output, nil) == 1
          else { throw Crypto.failed }
        }
        for index in 0..<v { unsafe added[index] = output[index % u] }
        // Each block of the input plus the added bytes plus one, without the carry beyond it.
        for block in stride(from: 0, to: inputCount, by: v) {
          var carry: UInt16 = 1
          for index in (0..<v).reversed() {
            carry += unsafe UInt16(start[block + index]) + UInt16(added[index])
            unsafe start[block + index] = UInt8(carry & 0xFF)
            carry >>= 8
          }
        }
      }
    }
    return work.slice((inputCount + v)..<(inputCount + v + count))
  }
}
