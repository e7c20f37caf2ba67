import SecureMemory
import TestSupport
import VaultModel

@testable import VaultCrypto

extension EpochKeys {
  /// Returns the keys of a new vault.
  static func random(epoch: UInt64 = 1) -> EpochKeys {
    EpochKeys(VaultKey(), ident: Ident(vaultID: VaultID(), epoch: epoch))
  }

  /// Returns the keys of the same vault key under another ident.
  func rebound(to ident: Ident) -> EpochKeys {
    EpochKeys(VaultKey(KeyBuffer(vaultKey.buffer.withRawBytes { $0.array })), ident: ident)
  }

  func hasSameVaultKey(as other: EpochKeys) -> Bool {
    let key = other.vaultKey.buffer.withRawBytes { $0.array }
    return vaultKey.buffer.withRawBytes { $0.array == key }
  }
}

/// Returns bytes that differ from place to place.
func pattern(_ count: Int) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
}
