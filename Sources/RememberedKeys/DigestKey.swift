package import SecureMemory
package import VaultCrypto
import VaultModel

/// The random key with which processes of this user recognize each other's secrets within the hour.
///
/// It is not a vault's. The kernel has it and nobody else, until an hour after the last digest was
/// made with it.
package enum DigestKey {
  private static let name = RememberedKeys.prefix + "digest"
  private static let lifetime: UInt32 = 3600

  /// Returns the digest of a secret; nil if the kernel keeps no keys here.
  package static func digest(of secret: Secret) -> KeyedDigest? {
    do throws(VaultError) {
      if let known = try KernelKey.find(name),
        let key = try known.content(count: KeyedDigest.keySize)
      {
        try known.setTimeout(lifetime)
        return KeyedDigest(of: secret, key)
      }
      let key = KeyBuffer(random: KeyedDigest.keySize)
      try KernelKey.add(name, key, seconds: lifetime)
      return KeyedDigest(of: secret, key)
    } catch {
      return nil
    }
  }

  /// Returns whether a digest is a secret's; false if the key is gone.
  package static func isDigest(_ digest: KeyedDigest, of secret: Secret) -> Bool {
    do throws(VaultError) {
      guard let key = try KernelKey.find(name)?.content(count: KeyedDigest.keySize) else {
        return false
      }
      return digest.isOf(secret, key)
    } catch {
      return false
    }
  }
}
