import CVault
import CredentialVault
import SecureMemory
import VaultModel

/// Vaults that are searched in order.
final class VaultListHandle: Handle, @unchecked Sendable {
  // Immutable, and `Sendable` themselves.
  let vaults: [VaultHandle]

  init(_ vaults: [VaultHandle]) {
    self.vaults = vaults
  }
}

/// The vault that NULL stands for: the one that vaultctl uses, opened once for all calls of the
/// process, and again after it was closed.
enum DefaultVault {
  private static let opened = Lock<VaultHandle?>(nil)

  /// - Throws: ``VaultError/Code/noDefaultVault`` if there is none, and what opening throws.
  static func open() throws(VaultError) -> VaultHandle {
    try opened.withLock { (known) throws(VaultError) in
      let handle = try current(known) { () throws(VaultError) in
        let vault = try Vault.openLocked()
        try vault.unlockIfItsKeyIsFound()
        return vault
      }
      known = handle
      return handle
    }
  }

  /// As ``open()``, but a vault that is not open yet gets no key, and is kept only if `body` succeeds.
  static func withLocked(
    _ body: (VaultHandle) throws(VaultError) -> Void
  ) throws(VaultError) {
    try opened.withLock { (known) throws(VaultError) in
      let handle = try current(known) { () throws(VaultError) in try Vault.openLocked() }
      try body(handle)
      known = handle
    }
  }

  private static func current(
    _ known: VaultHandle?, _ open: () throws(VaultError) -> Vault
  ) throws(VaultError) -> VaultHandle {
    if let known, try known.vault.state != .closed { return known }
    do throws(VaultError) {
      return VaultHandle(try open())
    } catch {
      guard error.code == .vaultNotFound else { throw error }
      throw VaultError(.noDefaultVault, error.context)
    }
  }
}

/// What arguments that stand for vaults mean; no other vault ever takes the place of one that is not good.
enum KeychainVaults {
  /// The one vault that an argument stands for.
  ///
  /// - Throws: ``VaultError/Code/invalidVaultReference`` for anything but a vault and NULL.
  @safe static func one(_ reference: OpaquePointer?) throws(VaultError) -> VaultHandle {
    // Nobody reads through it.
    guard unsafe reference != nil else { return try DefaultVault.open() }
    return try known(unsafe UnsafeRawPointer(reference))
  }

  /// The vaults that an argument stands for, in the order in which they are searched.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for a handle of another kind;
  ///   ``VaultError/Code/invalidVaultReference`` for no handle at all.
  @safe static func all(_ reference: UnsafeRawPointer?) throws(VaultError) -> [VaultHandle] {
    // Nobody reads through it.
    guard let reference = unsafe reference else { return [try DefaultVault.open()] }
    if let list = VaultListHandle.find(reference) { return list.vaults }
    let isOfOtherKind = VaultHandle.find(reference) == nil && Handle.any(reference) != nil
    guard !isOfOtherKind else {
      throw VaultError(.invalidArgument, "neither a vault nor a list of vaults")
    }
    return [try known(reference)]
  }

  /// The vault that a reference is, which is not NULL.
  @safe static func known(_ reference: UnsafeRawPointer?) throws(VaultError) -> VaultHandle {
    guard let handle = VaultHandle.find(reference) else {
      throw VaultError(.invalidVaultReference, "no vault, or one that was released")
    }
    return handle
  }
}

extension Handle {
  /// The handle of any kind that a pointer is; nil for one that is not out, which is never read.
  @safe static func any(_ pointer: UnsafeRawPointer?) -> Handle? {
    guard !HomeProcess.wasLeft else { return nil }
    // The pointer is only taken apart.
    return HandleRegistry.Token(UInt(bitPattern: pointer)).flatMap(HandleRegistry.find)
  }
}
