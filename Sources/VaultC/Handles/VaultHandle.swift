import CVault
import CredentialVault
import SecureMemory
import VaultModel

/// A vault that a C program has opened.
final class VaultHandle: Handle, @unchecked Sendable {
  // Immutable, and `Sendable` itself.
  let vault: Vault

  init(_ vault: Vault) {
    self.vault = vault
    OpenVaults.add(vault)
  }

  /// Returns a new reference to the same vault, which nobody reads through.
  func reference() -> OpaquePointer? { unsafe VaultHandle(vault).givenOut() }
}

/// The vaults that C programs have opened, as long as they exist.
enum OpenVaults {
  private struct Entry {
    weak let vault: Vault?
  }

  private static let entries = Lock<[Entry]>([])

  static func add(_ vault: Vault) {
    let isNew = entries.withLock { entries in
      entries.removeAll { $0.vault == nil }
      guard !entries.contains(where: { $0.vault === vault }) else { return false }
      entries.append(Entry(vault: vault))
      return true
    }
    if isNew { KeychainCallbacks.observe(vault) }
  }

  static func all() -> [Vault] { entries.withLock { $0.compactMap(\.vault) } }
}

/// Opens a vault and writes its handle to the caller's place.
func giveOut(
  at place: UnsafeMutablePointer<OpaquePointer?>?, _ open: () throws(VaultError) -> Vault
) -> vault_status_t {
  unsafe giveOut(at: place) { () throws(VaultError) in VaultHandle(try open()) }
}
