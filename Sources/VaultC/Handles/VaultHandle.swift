import CVault
import CredentialVault
import SecureMemory
import VaultModel

/// A vault that a C program has opened.
final class VaultHandle: Handle, @unchecked Sendable {
  // Immutable and `Sendable`, or behind a lock.

  let vault: Vault
  /// The vault, as one that has the verbs for items.
  let verbs: AnyItemVerbs
  private let transaction = Guarded<TransactionHandle?>(nil)

  init(_ vault: Vault) {
    self.vault = vault
    verbs = vault
    OpenVaults.add(vault)
  }

  /// Returns a new reference to the same vault, which nobody reads through.
  func reference() -> OpaquePointer? { unsafe VaultHandle(vault).givenOut() }

  /// The transaction that runs on this thread; nil if none does.
  var running: TransactionHandle? {
    let transaction = transaction.withLock { $0 }
    return transaction?.isOfThisThread == true ? transaction : nil
  }

  /// Runs a function of a transaction; there is one at a time, because it has the file's lock.
  func run<R>(_ transaction: TransactionHandle, _ function: () -> R) -> R {
    self.transaction.withLock { $0 = transaction }
    defer { self.transaction.withLock { $0 = nil } }
    return function()
  }
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
