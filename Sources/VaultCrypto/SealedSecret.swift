package import SecureMemory
package import VaultModel

/// The use of a secret in a record; part of its associated data.
package enum SecretUse: UInt8, Sendable {
  case secret = 1
  case refreshToken = 2
  case previousSecret = 3
  case recordKey = 4
  case oneTimePasswordKey = 5

  /// The use of a secret beside the item's own: one of ``Attribute/furtherSecrets``.
  package init(_ further: Attribute) {
    self = further == .refreshToken ? .refreshToken : .oneTimePasswordKey
  }
}

/// Secrets inside records. Source: `Documentation/format.md` §6.7.
extension EpochKeys {
  /// The longest secret that is sealed in its record.
  package static let longestInlineSecret = 1024

  func associatedData(_ use: SecretUse, _ item: ItemID) -> [UInt8] {
    var bytes = secretBinding
    bytes[10] = use.rawValue
    bytes.store(item.high.byteSwapped, at: 36)
    bytes.store(item.low.byteSwapped, at: 44)
    return bytes
  }

  /// Seals a secret under its item's id.
  package func seal(_ secret: Secret, use: SecretUse, item: ItemID) -> [UInt8] {
    let associatedData = associatedData(use, item)
    let size = secret.count + Sealing.overhead
    return secret.withRawBytes { secret in
      // `seal` writes all of `size` bytes.
      unsafe [UInt8](unsafeUninitializedCapacity: size) { output, initialized in
        unsafe secret.withUnsafeBytes { secret in
          unsafe seal(
            secret, into: UnsafeMutableRawBufferPointer(output), .secret,
            associatedData: associatedData)
        }
        initialized = size
      }
    }
  }

  /// Opens a secret into guarded memory.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if it was not sealed for this use and item.
  package func open(
    _ sealed: ArraySlice<UInt8>, use: SecretUse, item: ItemID
  ) throws(VaultError) -> Secret {
    guard sealed.count >= Sealing.overhead else {
      throw VaultError(.damaged, "the secret of item \(item) is too short")
    }
    let associatedData = associatedData(use, item)
    // `open` writes the whole buffer, zeros if it fails.
    return try unsafe Secret(count: sealed.count - Sealing.overhead) {
      (output) throws(VaultError) in
      let isAuthentic = withSubkey(.secret) { key in
        unsafe sealed.withUnsafeBytes { sealed in
          unsafe Sealing.open(
            sealed, into: output, key: key, associatedData: associatedData)
        }
      }
      guard isAuthentic else {
        throw VaultError(.damaged, "the secret of item \(item) does not open")
      }
    }
  }
}

extension EpochKeys {
  /// Checks that a secret would open, without decrypting it into memory.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if it was not sealed for this use and item.
  package func check(
    _ sealed: ArraySlice<UInt8>, use: SecretUse, item: ItemID
  ) throws(VaultError) {
    let associatedData = associatedData(use, item)
    let isAuthentic =
      sealed.count >= Sealing.overhead
      && withSubkey(.secret) { key in
        // The slice lives through the call and is long enough.
        unsafe sealed.withUnsafeBytes { sealed in
          unsafe Sealing.isAuthentic(sealed, key: key, associatedData: associatedData)
        }
      }
    guard isAuthentic else {
      throw VaultError(.damaged, "the secret of item \(item) does not open")
    }
  }
}

extension ItemID {
  /// Appends the 16 bytes, in the order of the id's text.
  package func append(to bytes: inout [UInt8]) {
    high.byteSwapped.appendLittleEndian(to: &bytes)
    low.byteSwapped.appendLittleEndian(to: &bytes)
  }
}

/// Moving secrets from one epoch's keys to another's.
extension EpochKeys {
  /// Opens a secret in a record and seals it in place with the keys of another epoch.
  ///
  /// The plaintext exists only during this call, in one buffer that is wiped.
  ///
  /// - Parameters:
  ///   - bytes: The record with the sealed secret at `range`; the new one has the same length.
  ///   - range: A range in `bytes`.
  ///   - use: The use of the secret.
  ///   - item: The item that it belongs to.
  ///   - new: The keys to seal it with.
  /// - Throws: ``VaultError/Code/damaged`` if it was not sealed for this use and item; the bytes
  ///   are then unchanged.
  package func reseal(
    _ bytes: inout [UInt8], at range: Range<Int>, use: SecretUse, item: ItemID, with new: EpochKeys
  ) throws(VaultError) {
    guard range.count >= Sealing.overhead else {
      throw VaultError(.damaged, "the secret of item \(item) is too short")
    }
    let old = associatedData(use, item)
    let associatedData = new.associatedData(use, item)
    let size = range.count - Sealing.overhead
    let isAuthentic = unsafe bytes.withUnsafeMutableBytes { bytes in
      // The slice has `size` bytes and the seal's overhead; both calls write exactly their output.
      let sealed = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[range])
      return unsafe withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { plain in
        defer { unsafe wipe(plain) }
        let isAuthentic = withSubkey(.secret) { key in
          unsafe Sealing.open(
            UnsafeRawBufferPointer(sealed), into: plain, key: key, associatedData: old)
        }
        guard isAuthentic else { return false }
        unsafe new.seal(
          UnsafeRawBufferPointer(plain), into: sealed, .secret, associatedData: associatedData)
        return true
      }
    }
    guard isAuthentic else {
      throw VaultError(.damaged, "the secret of item \(item) does not open")
    }
  }
}
