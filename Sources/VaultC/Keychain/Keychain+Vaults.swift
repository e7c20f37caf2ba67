public import CVault
import CredentialVault
import Glibc
import SecureMemory
import VaultModel

/// Opens a vault by its path; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultOpen(
  _ path: UnsafePointer<CChar>?, _ vault: UnsafeMutablePointer<VaultRef?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let place = try unsafe required(vault)
    // The path is the caller's, valid during the call.
    guard let path = try unsafe Input.path(path) else {
      throw VaultError(.invalidArgument, "a path is NULL")
    }
    let handle = UnopenedVault(path)
    do throws(VaultError) {
      unsafe place.pointee = try handle.opened().givenOut()
    } catch {
      guard error.code == .vaultNotFound else { throw error }
      unsafe place.pointee = handle.givenOut()
    }
  }
}

/// Makes a list of vaults; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultListCreate(
  _ vaults: UnsafePointer<VaultRef?>?, _ count: UInt32,
  _ list: UnsafeMutablePointer<VaultListRef?>?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let place = try unsafe required(list)
    guard unsafe vaults != nil || count == 0 else {
      throw VaultError(.invalidArgument, "a list without its vaults")
    }
    var handles: [VaultHandle] = []
    for index in 0..<Int(count) {
      // The caller says that there are `count` references, which nobody reads through.
      handles.append(try KeychainVaults.known(unsafe UnsafeRawPointer(vaults?[index])))
    }
    unsafe place.pointee = VaultListHandle(handles).givenOut()
  }
}

/// Locks a vault; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultLock(_ vault: VaultRef?) -> Int32 {
  keychainStatus { () throws(VaultError) in
    try KeychainVaults.withoutKey(vault) { (handle) throws(VaultError) in
      UnlockedVaults.forget(handle.vault)
      try handle.vault.lock()
    }
  }
}

/// Unlocks a vault; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultUnlock(
  _ vault: VaultRef?, _ passwordLength: UInt32, _ password: UnsafeRawPointer?,
  _ usePassword: UInt8
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    var key: KeySource?
    if usePassword != 0 {
      // The password is the caller's, valid during the call.
      let passphrase = try unsafe Input.secret(password, Int(passwordLength))
      guard passphrase.count > 0 else { throw VaultError.noPassword }
      key = .passphrase(passphrase)
    }
    try KeychainVaults.withoutKey(vault) { [key] (handle) throws(VaultError) in
      if key == nil, try handle.vault.state() == .unlocked { return }
      if let key {
        try handle.vault.unlock(with: key)
        return UnlockedVaults.keep(handle.vault)
      }
      guard try handle.vault.opensUnasked(with: KeySource.find()) else {
        throw VaultError.noPassword
      }
    }
  }
}

/// Returns whether a vault is unlocked, readable and writable; the contract is in
/// `vault_keychain.h`.
@c @implementation
public func VaultGetStatus(_ vault: VaultRef?, _ status: UnsafeMutablePointer<UInt32>?) -> Int32 {
  keychainStatus { () throws(VaultError) in
    let place = try unsafe required(status)
    let vault = try KeychainVaults.one(vault).vault
    var sum = kVaultReadPermStatus
    switch try vault.state() {
    case .unlocked: sum += kVaultUnlockStateStatus
    case .locked: break
    case .closed: throw VaultError(.closed, "the vault was closed")
    }
    if vault.isWritable { sum += kVaultWritePermStatus }
    unsafe place.pointee = UInt32(sum)
  }
}

extension VaultError {
  /// As on Apple's systems where nobody can be asked.
  fileprivate static var noPassword: VaultError {
    VaultError(.authenticationFailed, "no password, and no key is configured")
  }
}

extension Vault {
  /// Unlocks the vault with the key that the environment names, or that the kernel remembers.
  ///
  /// It stays locked without a key, with one half of what its slots need, and with the key of
  /// another vault: the program can name several vaults and the environment one key.
  func unlockIfItsKeyIsFound() throws(VaultError) {
    guard try state() == .locked else { return }
    do throws(VaultError) {
      _ = try opensUnasked(with: KeySource.find())
    } catch {
      guard [.authenticationFailed, .locked].contains(error.code) else { throw error }
    }
  }

  /// Whether this process may write the file and its folder, for the journal; true for a vault
  /// without a file.
  ///
  /// Root may write any file, but one that nobody may write is opened for reading.
  fileprivate var isWritable: Bool {
    guard let path else { return true }
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) + "/" } ?? "."
    var file = stat()
    // By name, because closing a descriptor takes SQLite's locks away; both are C strings during
    // the calls.
    guard unsafe stat(path, &file) == 0, file.st_mode & 0o222 != 0 else { return false }
    return unsafe access(path, W_OK) == 0 && access(folder, W_OK) == 0
  }
}

extension KeychainVaults {
  /// Runs `body` with a vault; the default vault, if it is not open yet, is opened without a key.
  @safe fileprivate static func withoutKey(
    _ reference: VaultRef?, _ body: (VaultHandle) throws(VaultError) -> Void
  ) throws(VaultError) {
    // Nobody reads through it.
    guard unsafe reference == nil else { return try body(one(reference)) }
    try DefaultVault.withLocked(body)
  }
}

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
