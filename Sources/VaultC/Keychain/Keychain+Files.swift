public import CVault
import CredentialVault
import Glibc
import KeychainServices
import VaultModel

/// Creates a vault that a password opens; the contract is in `vault_keychain_vaults.h`, as for all
/// of these.
@c @implementation
public func VaultCreate(
  _ path: UnsafePointer<CChar>?, _ passwordLength: UInt32, _ password: UnsafeRawPointer?,
  _ prompts: UInt8, _ access: VaultAccessRef?, _ vault: UnsafeMutablePointer<VaultRef?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    // Path and password are the caller's, valid during the call.
    let path = try unsafe Input.requiredPath(path)
    try Keychain.check(access)
    guard prompts == 0 else {
      throw VaultError(.locked, "the library prompts for no password: give one")
    }
    let passphrase = try unsafe Input.secret(password, Int(passwordLength))
    guard passphrase.count > 0 else { throw VaultError(.invalidArgument, "an empty password") }
    let created = try Vault.create(path: path, key: .passphrase(passphrase))
    UnlockedVaults.keep(created)
    // The place is the caller's, or NULL.
    unsafe vault?.pointee = VaultHandle(created).givenOut()
  }
}

/// Closes vaults and removes their files.
@c @implementation
public func VaultDelete(_ vaults: VaultOrListRef?) -> Int32 {
  keychainStatus { () throws(VaultError) in
    // The reference is only taken apart; an array is the caller's.
    guard unsafe vaults != nil else {
      throw VaultError(.invalidVaultReference, "no vault to delete")
    }
    for handle in try KeychainVaults.all(vaults) {
      guard let path = handle.vault.path else { throw VaultError.withoutFile }
      SearchList.remove(handle.vault)
      UnlockedVaults.forget(handle.vault)
      try handle.vault.close()
      // A C string during the call.
      guard unsafe unlink(path) == 0 else {
        throw VaultError(.inputOutput, "remove \(path)", underlying: .errno(errno))
      }
    }
  }
}

/// Locks every vault that the process has opened.
@c @implementation
public func VaultLockAll() -> Int32 {
  keychainStatus { () throws(VaultError) in
    UnlockedVaults.forgetAll()
    var first: VaultError?
    for vault in OpenVaults.all() {
      do throws(VaultError) {
        if try vault.state() == .unlocked { try vault.lock() }
      } catch {
        first = first ?? error
      }
    }
    if let first { throw first }
  }
}

/// Writes a vault's path.
@c @implementation
public func VaultGetPath(
  _ vault: VaultRef?, _ length: UnsafeMutablePointer<UInt32>?,
  _ path: UnsafeMutablePointer<CChar>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    // The places are the caller's, the second as long as the first says.
    let length = try unsafe required(length)
    let place = try unsafe required(path)
    guard let text = try KeychainVaults.path(vault) else { throw VaultError.withoutFile }
    let size = unsafe Int(length.pointee)
    unsafe length.pointee = UInt32(text.utf8.count)
    guard text.utf8.count < size else {
      throw VaultError(.bufferTooSmall, "the path takes more than \(size) bytes")
    }
    unsafe strcpy(place, text)
  }
}

/// Returns a vault's settings.
@c @implementation
public func VaultCopySettings(
  _ vault: VaultRef?, _ settings: UnsafeMutablePointer<VaultSettings>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let place = try unsafe required(settings)
    guard unsafe place.pointee.version == 1 else { throw VaultError.unknownVersion }
    _ = try KeychainVaults.one(vault)
    // Apple's interval of a keychain that never locks itself.
    unsafe place.pointee = VaultSettings(
      version: 1, lockOnSleep: 0, useLockInterval: 0, lockInterval: 0x7FFF_FFFF)
  }
}

/// Accepts settings that never lock the vault.
@c @implementation
public func VaultSetSettings(
  _ vault: VaultRef?, _ settings: UnsafePointer<VaultSettings>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let settings: UnsafePointer<VaultSettings> = try unsafe required(settings)
    guard unsafe settings.pointee.version == 1 else { throw VaultError.unknownVersion }
    _ = try KeychainVaults.one(vault)
    guard unsafe settings.pointee.lockOnSleep == 0 && settings.pointee.useLockInterval == 0 else {
      throw VaultError(.unsupported, "a vault does not lock itself")
    }
  }
}

extension VaultError {
  fileprivate static var withoutFile: VaultError {
    VaultError(.vaultNotFound, "a vault in memory has no file")
  }

  fileprivate static var unknownVersion: VaultError {
    VaultError(.invalidArgument, "settings of an unknown version")
  }
}

extension VaultError.Code {
  fileprivate static let bufferTooSmall = Self(rawValue: Int32(errVaultBufferTooSmall))
}

extension KeychainVaults {
  /// Returns the path of a vault, also of one that does not exist yet; nil for one in memory.
  @safe fileprivate static func path(_ reference: VaultRef?) throws(VaultError) -> String? {
    // The reference is only taken apart.
    if let unopened = UnopenedVault.find(unsafe UnsafeRawPointer(reference)) {
      return unopened.path
    }
    return try one(reference).vault.path
  }
}
