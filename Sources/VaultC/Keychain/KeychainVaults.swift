import CVault
import CredentialVault
import Glibc
import KeychainServices
import SecureMemory
import VaultModel

/// A list of vaults in search order.
final class VaultListHandle: Handle, @unchecked Sendable {
  // Immutable, and `Sendable` themselves.
  let vaults: [VaultHandle]

  init(_ vaults: [VaultHandle]) {
    self.vaults = vaults
  }
}

/// The reference to a vault that is opened as soon as there is one at its path.
final class UnopenedVault: Handle, @unchecked Sendable {
  let path: String
  // Behind a lock.
  private let known = Lock<VaultHandle?>(nil)

  init(_ path: String) {
    self.path = path
  }

  /// Returns the vault.
  ///
  /// - Throws: ``VaultError/Code/vaultNotFound`` while there is none; the errors of opening.
  func opened() throws(VaultError) -> VaultHandle {
    try known.withLock { (known) throws(VaultError) in
      if let known { return known }
      let vault = try Vault.openLocked(ListedVault(path, isReadOnly: isReadOnly))
      let unlocked = try UnlockedVaults.same(as: vault)
      if unlocked == nil { try vault.unlockIfItsKeyIsFound() }
      let handle = VaultHandle(unlocked ?? vault)
      known = handle
      return handle
    }
  }
}

extension UnopenedVault {
  /// Whether nobody can write the file: it is then opened for reading alone, as Apple's are.
  private var isReadOnly: Bool {
    var status = stat()
    // A C string during the call; the place is this function's own.
    return unsafe stat(path, &status) == 0 && status.st_mode & 0o222 == 0
  }
}

/// The vault that NULL means: the one that the program chose, else the one that vaultctl uses.
///
/// It is opened once for all calls of the process, and again after it was closed.
enum DefaultVault {
  private static let opened = Lock<VaultHandle?>(nil)
  private static let chosen = Lock<VaultHandle?>(nil)

  /// Makes a vault the default one of this process; nil makes it the one that vaultctl uses.
  static func choose(_ vault: VaultHandle?) {
    chosen.withLock { $0 = vault }
  }

  /// Gives up the chosen default if it is a vault that is deleted.
  static func forget(_ vault: Vault) {
    chosen.withLock { chosen in
      guard let handle = chosen?.vault else { return }
      if handle === vault || handle.path == vault.path { chosen = nil }
    }
  }

  /// Returns the default vault, and opens it if necessary.
  ///
  /// - Throws: ``VaultError/Code/noDefaultVault`` if there is none; the errors of opening.
  static func open() throws(VaultError) -> VaultHandle {
    if let chosen = chosen.withLock({ $0 }) { return chosen }
    return try opened.withLock { (known) throws(VaultError) in
      let handle = try current(known) { () throws(VaultError) in
        let vault = try Vault.openLocked()
        try vault.unlockIfItsKeyIsFound()
        return vault
      }
      known = handle
      return handle
    }
  }

  /// Runs `body` as with ``open()``, but opens without a key, and keeps a new vault only if `body`
  /// succeeds.
  static func withLocked(
    _ body: (VaultHandle) throws(VaultError) -> Void
  ) throws(VaultError) {
    if let chosen = chosen.withLock({ $0 }) { return try body(chosen) }
    try opened.withLock { (known) throws(VaultError) in
      let handle = try current(known) { () throws(VaultError) in try Vault.openLocked() }
      try body(handle)
      known = handle
    }
  }

  private static func current(
    _ known: VaultHandle?, _ open: () throws(VaultError) -> Vault
  ) throws(VaultError) -> VaultHandle {
    if let known, try known.vault.state() != .closed { return known }
    do throws(VaultError) {
      return VaultHandle(try open())
    } catch {
      guard error.code == .vaultNotFound else { throw error }
      throw VaultError(.noDefaultVault, error.context)
    }
  }
}

/// The vaults of arguments; an invalid argument is never replaced by another vault.
enum KeychainVaults {
  /// Returns the one vault of an argument.
  ///
  /// - Throws: ``VaultError/Code/invalidVaultReference`` for anything but a vault and NULL.
  @safe static func one(_ reference: OpaquePointer?) throws(VaultError) -> VaultHandle {
    // Nobody reads through it.
    guard unsafe reference != nil else { return try DefaultVault.open() }
    return try known(unsafe UnsafeRawPointer(reference))
  }

  /// Returns the vaults of an argument, in search order.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for a handle of another kind;
  ///   ``VaultError/Code/invalidVaultReference`` for no handle and no array at all.
  @safe static func all(_ reference: UnsafeRawPointer?) throws(VaultError) -> [VaultHandle] {
    // A handle is not read through; an array is the caller's.
    guard let reference = unsafe reference else { return try SearchList.vaults() }
    if let list = VaultListHandle.find(reference) { return list.vaults }
    if unsafe VaultCFGetTypeID(reference) == VaultCFArrayGetTypeID() {
      return try array(OpaquePointer(reference))
    }
    let isVault = VaultHandle.find(reference) != nil || UnopenedVault.find(reference) != nil
    guard isVault || Handle.any(reference) == nil else {
      throw VaultError(.invalidArgument, "neither a vault nor a list of vaults")
    }
    return [try known(reference)]
  }

  /// Returns the vaults of an array.
  ///
  /// - Throws: ``VaultError/Code/invalidVaultReference`` if an element is none.
  @safe static func array(_ array: VaultCFArrayRef?) throws(VaultError) -> [VaultHandle] {
    var vaults: [VaultHandle] = []
    // The array is the caller's, and its elements are not read through.
    for index in 0..<(unsafe VaultCFArrayGetCount(array)) {
      vaults.append(try known(unsafe VaultCFArrayGetValueAtIndex(array, index)))
    }
    return vaults
  }

  /// Returns the vault of a reference that is not NULL.
  @safe static func known(_ reference: UnsafeRawPointer?) throws(VaultError) -> VaultHandle {
    if let unopened = UnopenedVault.find(reference) { return try unopened.opened() }
    guard let handle = VaultHandle.find(reference) else {
      throw VaultError(.invalidVaultReference, "no vault, or one that was released")
    }
    return handle
  }
}

extension Handle {
  /// Returns the valid handle of any kind for a pointer, else nil; the pointer is never
  /// dereferenced.
  @safe static func any(_ pointer: UnsafeRawPointer?) -> Handle? {
    guard !HomeProcess.wasLeft else { return nil }
    // The pointer is only taken apart.
    return HandleRegistry.Token(UInt(bitPattern: pointer)).flatMap(HandleRegistry.find)
  }
}
