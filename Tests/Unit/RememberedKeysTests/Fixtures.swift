import SecureMemory
import Testing
import VaultCrypto
import VaultModel

@testable import VaultStore

extension Trait where Self == ConditionTrait {
  /// The test needs the kernel's keyrings, which containers often deny.
  static var needsKeyrings: Self {
    .enabled("the kernel's keyrings are denied here") {
      if case .works = KeyringState.current() { true } else { false }
    }
  }
}

extension EpochKeys {
  /// Returns the keys of a new vault, whose id no other test has.
  static func random(_ vault: VaultID = VaultID(), epoch: UInt64 = 1) -> EpochKeys {
    EpochKeys(VaultKey(), ident: Ident(vaultID: vault, epoch: epoch))
  }

  func hasSameVaultKey(as other: EpochKeys) -> Bool {
    withVaultKey { mine in other.withVaultKey { theirs in constantTimeEqual(mine, theirs) } }
  }
}

extension BootMark {
  /// Returns a moment so many seconds after the boot, so many of them asleep.
  static func at(_ seconds: UInt64, asleep: UInt64 = 0, boot: UInt8 = 7) -> BootMark {
    let second: UInt64 = 1_000_000_000
    return BootMark(
      bootID: [UInt8](repeating: boot, count: 16), now: seconds * second,
      asleep: asleep * second...asleep * second)
  }
}
