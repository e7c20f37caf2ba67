import CVault
import SecureMemory
import VaultModel

/// Remembers whether the library may prompt; the contract is in `vault_keychain_vaults.h`.
@c @implementation
public func VaultSetUserInteractionAllowed(_ isAllowed: UInt8) -> Int32 {
  keychainStatus { () throws(VaultError) in KeychainInteraction.isAllowed = isAllowed != 0 }
}

/// Returns whether the library may prompt; the contract is in `vault_keychain_vaults.h`.
@c @implementation
public func VaultGetUserInteractionAllowed(_ isAllowed: UnsafeMutablePointer<UInt8>?) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let place = try unsafe required(isAllowed)
    unsafe place.pointee = KeychainInteraction.isAllowed ? 1 : 0
  }
}

/// Whether the program allows prompts.
enum KeychainInteraction {
  private static let allowed = Lock(true)

  static var isAllowed: Bool {
    get { allowed.withLock { $0 } }
    set { allowed.withLock { $0 = newValue } }
  }
}
