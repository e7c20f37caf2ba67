package import SecureMemory
package import VaultCrypto
import VaultModel

/// The random keys with which processes of this user recognize each other's secrets within the
/// hour.
///
/// They are not a vault's. The kernel has them and nobody else, until an hour after the last digest
/// was made. There is one, unless several processes made the first at once.
package enum DigestKey {
  package static let prefix = RememberedKeys.prefix + "digest:"
  private static let lifetime: UInt32 = 3600

  /// Returns the digest of a secret; nil if the kernel keeps no keys here.
  package static func digest(of secret: Secret, by prefix: String = prefix) -> KeyedDigest? {
    do throws(VaultError) {
      for known in try KernelKey.all(beginning: prefix) {
        if let key = try known.content(count: KeyedDigest.keySize), try known.setTimeout(lifetime) {
          return KeyedDigest(of: secret, key)
        }
      }
      let key = KeyBuffer(random: KeyedDigest.keySize)
      // A name of its own, so that it takes the place of no other process's.
      try KernelKey.add(prefix + VaultID().hex, key, seconds: lifetime)
      return KeyedDigest(of: secret, key)
    } catch {
      return nil
    }
  }

  /// Returns whether a digest is a secret's; false if the key is gone.
  package static func isDigest(
    _ digest: KeyedDigest, of secret: Secret, by prefix: String = prefix
  ) -> Bool {
    do throws(VaultError) {
      for known in try KernelKey.all(beginning: prefix) {
        guard let key = try known.content(count: KeyedDigest.keySize) else { continue }
        if digest.isOf(secret, key) { return true }
      }
    } catch {
      return false
    }
    return false
  }
}
