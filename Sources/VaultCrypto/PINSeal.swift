package import SecureMemory
package import VaultModel

/// The second seal of a secret, by a PIN: the vault alone does not open it.
///
/// A sealed secret has everything but the PIN that is needed to open it, so it can be copied, and
/// whoever has the vault and its key can try PINs elsewhere at the cost in its header. Source:
/// `Documentation/format.md` §6.7.
package enum PINSeal {
  /// The difference in length between a sealed secret and the secret.
  package static let overhead = PINSealHeader.byteCount + Sealing.overhead

  /// Seals a secret.
  ///
  /// - Parameters:
  ///   - secret: Any bytes.
  ///   - pin: At least one byte.
  ///   - cost: The cost of trying a PIN.
  /// - Returns: The sealed secret, ``overhead`` bytes longer.
  /// - Throws: ``VaultError/Code/invalidArgument`` for an empty PIN;
  ///   ``VaultError/Code/outOfMemory``.
  package static func seal(
    _ secret: Secret, pin: Secret, cost: PassphraseCost = .policy
  ) throws(VaultError) -> Secret {
    let header = PINSealHeader(cost: cost, salt: Randomness.bytes(PINSealHeader.saltSize))
    let key = try SlotKey(passphrase: pin, salt: header.salt, cost: cost)
    let nonceKey = key.nonceKey()
    // The header and the sealing write all bytes.
    return unsafe Secret(count: secret.count + overhead) { output in
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: output[PINSealHeader.byteCount...])
      unsafe output.copyBytes(from: header.bytes)
      secret.withRawBytes { secret in
        key.withWrappingKey { key in
          nonceKey.withRawBytes { nonceKey in
            unsafe secret.withUnsafeBytes { secret in
              unsafe Sealing.seal(
                secret, into: rest, key: key, nonceKey: nonceKey, associatedData: header.bytes)
            }
          }
        }
      }
    }
  }

  /// Opens a sealed secret.
  ///
  /// - Throws: ``VaultError/Code/authenticationFailed`` for a wrong PIN;
  ///   ``VaultError/Code/invalidData`` if it is not a sealed secret; ``VaultError/Code/tooCostly``;
  ///   ``VaultError/Code/outOfMemory``.
  package static func open(_ sealed: Secret, pin: Secret) throws(VaultError) -> Secret {
    let header = sealed.withBytes { PINSealHeader(reading: $0) }
    guard let header, sealed.count >= overhead else {
      throw VaultError(.invalidData, "the secret is not sealed by a PIN")
    }
    let key = try SlotKey(passphrase: pin, salt: header.salt, cost: header.cost)
    return try unsafe Secret(count: sealed.count - overhead) { (output) throws(VaultError) in
      let isAuthentic = sealed.withRawBytes { sealed in
        key.withWrappingKey { key in
          // The length was checked; `open` writes the whole buffer, zeros if it fails.
          unsafe sealed.extracting(PINSealHeader.byteCount...).withUnsafeBytes { sealed in
            unsafe Sealing.open(sealed, into: output, key: key, associatedData: header.bytes)
          }
        }
      }
      guard isAuthentic else { throw VaultError(.authenticationFailed, "wrong PIN") }
    }
  }
}
