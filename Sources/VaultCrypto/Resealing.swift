import SecureMemory
package import VaultModel

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
