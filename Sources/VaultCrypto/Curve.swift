import CVaultSodium
import SecureMemory
import VaultModel

/// X25519 (RFC 7748) and Ed25519 (RFC 8032), by libsodium.
enum Curve {
  static let keySize = 32
  static let signatureSize = 64
  /// The bytes that `crypto_box_seal` adds: an ephemeral public key and a tag.
  static let sealOverhead = 48

  /// Returns the public key of an X25519 secret key.
  static func publicKey(of secret: borrowing KeyBuffer) -> [UInt8] {
    Sodium.require()
    return secret.withRawBytes { secret in
      // Both buffers have 32 bytes.
      unsafe [UInt8](unsafeUninitializedCapacity: keySize) { output, initialized in
        unsafe secret.withUnsafeBytes { secret in
          let status = unsafe crypto_scalarmult_base(
            UnsafeMutableRawBufferPointer(output).octets, secret.octets)
          precondition(status == 0, "X25519 refuses no secret key")
        }
        initialized = keySize
      }
    }
  }

  /// Returns the secret that a secret key shares with another's public key.
  ///
  /// - Throws: ``VaultError/Code/damaged`` for a public key that shares the same secret with all.
  static func shared(
    _ secret: borrowing KeyBuffer, with publicKey: [UInt8]
  ) throws(VaultError) -> KeyBuffer {
    precondition(publicKey.count == keySize)
    var status: Int32 = -1
    // All three buffers have 32 bytes.
    let shared = unsafe KeyBuffer(count: keySize) { output in
      secret.withRawBytes { secret in
        unsafe secret.withUnsafeBytes { secret in
          status = unsafe crypto_scalarmult(output.octets, secret.octets, publicKey)
        }
      }
    }
    guard status == 0 else { throw VaultError(.damaged, "a machine's public key is none") }
    return shared
  }

  /// Seals bytes to the holder of a secret key (`crypto_box_seal`).
  static func seal(_ message: borrowing KeyBuffer, to publicKey: [UInt8]) -> [UInt8] {
    Sodium.require()
    let count = message.count + sealOverhead
    return message.withRawBytes { message in
      // The output has 48 bytes more than the message.
      unsafe [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
        unsafe message.withUnsafeBytes { message in
          let status = unsafe crypto_box_seal(
            UnsafeMutableRawBufferPointer(output).octets, message.octets, UInt64(message.count),
            publicKey)
          precondition(status == 0, "sealing refuses only lengths, which are constants here")
        }
        initialized = count
      }
    }
  }

  /// Opens what was sealed to a secret key; nil if it was not.
  static func open(
    _ sealed: [UInt8], to publicKey: [UInt8], with secret: borrowing KeyBuffer
  ) -> KeyBuffer? {
    Sodium.require()
    var status: Int32 = -1
    // The output has 48 bytes less than what is opened.
    let message = unsafe KeyBuffer(count: sealed.count - sealOverhead) { output in
      secret.withRawBytes { secret in
        unsafe secret.withUnsafeBytes { secret in
          status = unsafe crypto_box_seal_open(
            output.octets, sealed, UInt64(sealed.count), publicKey, secret.octets)
        }
      }
    }
    guard status == 0 else { return nil }
    return message
  }

  // MARK: Signatures

  /// Returns the public key of an Ed25519 seed.
  static func verifier(of seed: borrowing KeyBuffer) -> [UInt8] {
    withSigner(seed) { _, verifier in verifier }
  }

  /// Signs a message with the key of a seed.
  static func sign(_ message: [UInt8], with seed: borrowing KeyBuffer) -> [UInt8] {
    withSigner(seed) { signer, _ in
      // The signature has 64 bytes, and so has the secret key.
      signer.withRawBytes { signer in
        unsafe [UInt8](unsafeUninitializedCapacity: signatureSize) { output, initialized in
          unsafe signer.withUnsafeBytes { signer in
            let status = unsafe crypto_sign_detached(
              UnsafeMutableRawBufferPointer(output).octets, nil, message, UInt64(message.count),
              signer.octets)
            precondition(status == 0, "Ed25519 signs everything")
          }
          initialized = signatureSize
        }
      }
    }
  }

  private static func withSigner<R>(
    _ seed: borrowing KeyBuffer, _ body: (borrowing KeyBuffer, [UInt8]) -> R
  ) -> R {
    Sodium.require()
    var verifier = [UInt8](repeating: 0, count: keySize)
    // The public key and the seed have 32 bytes, the secret key 64.
    let signer = unsafe KeyBuffer(count: signatureSize) { output in
      seed.withRawBytes { seed in
        unsafe seed.withUnsafeBytes { seed in
          let status = unsafe crypto_sign_seed_keypair(&verifier, output.octets, seed.octets)
          precondition(status == 0, "Ed25519 refuses no seed")
        }
      }
    }
    return body(signer, verifier)
  }

  /// Returns whether a signature is that of a message by the holder of a key.
  static func isSigned(_ message: [UInt8], _ signature: [UInt8], by verifier: [UInt8]) -> Bool {
    Sodium.require()
    precondition(verifier.count == keySize && signature.count == signatureSize)
    // Both have the sizes that were checked.
    return unsafe crypto_sign_verify_detached(
      signature, message, UInt64(message.count), verifier) == 0
  }
}
