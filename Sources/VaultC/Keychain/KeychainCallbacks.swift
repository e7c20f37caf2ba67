public import CVault
import CredentialVault
import Glibc
import SecureMemory
import VaultModel

/// Calls a function for events; the contract is in `vault_keychain_vaults.h`, as for all of these.
@c @implementation
public func VaultAddCallback(
  _ callback: VaultCallback?, _ events: VaultEventMask, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  keychainStatus { () throws(VaultError) in
    guard let callback = unsafe callback else {
      throw VaultError(.invalidArgument, "no function to call")
    }
    // The context is the caller's, and is only passed back.
    try KeychainCallbacks.add(
      unsafe KeychainCallbacks.Entry(call: callback, events: events, context: context))
  }
}

/// Ends the calls of a function.
@c @implementation
public func VaultRemoveCallback(_ callback: VaultCallback?) -> Int32 {
  keychainStatus { () throws(VaultError) in try unsafe KeychainCallbacks.remove(callback) }
}

/// The functions that are called for events.
enum KeychainCallbacks {
  // Proof: the context is only passed back to the program that gave it, which shares it between
  // its own threads.
  @safe struct Entry: @unchecked Sendable {
    let call: VaultCallback
    let events: VaultEventMask
    let context: UnsafeMutableRawPointer?

    /// The function's address, by which it is removed.
    var address: UInt { unsafe unsafeBitCast(call, to: UInt.self) }
  }

  private struct State {
    var entries: [Entry] = []
    var observed: [Observed] = []
  }

  /// A vault whose events are reported, as long as it exists.
  private struct Observed {
    weak let vault: Vault?
    let observation: VaultObserver
  }

  private static let state = Lock(State())

  static func add(_ entry: Entry) throws(VaultError) {
    try state.withLock { (state) throws(VaultError) in
      guard !state.entries.contains(where: { $0.address == entry.address }) else {
        throw VaultError(.duplicateCallback, "the function is called already")
      }
      state.entries.append(entry)
    }
    for vault in OpenVaults.all() { observe(vault) }
  }

  static func remove(_ callback: VaultCallback?) throws(VaultError) {
    let address = unsafe unsafeBitCast(callback, to: UInt.self)
    try state.withLock { (state) throws(VaultError) in
      guard let index = state.entries.firstIndex(where: { $0.address == address }) else {
        throw VaultError(.invalidCallback, "the function is not called")
      }
      state.entries.remove(at: index)
    }
  }

  /// Reports the events of a vault from now on, unless no function wants any.
  static func observe(_ vault: Vault) {
    let isWanted = state.withLock { state in
      state.observed.removeAll { $0.vault == nil }
      return !state.entries.isEmpty && !state.observed.contains { $0.vault === vault }
    }
    guard isWanted else { return }
    let observation = vault.events.observe { [weak vault] event in
      guard let vault, isFirst(vault) else { return }
      report(event, of: vault)
    }
    state.withLock { $0.observed.append(Observed(vault: vault, observation: observation)) }
  }

  /// Returns whether a vault is the first open one of its file: each of them hears of each event.
  private static func isFirst(_ vault: Vault) -> Bool {
    guard let path = vault.path else { return true }
    let vaults = state.withLock { $0.observed.compactMap(\.vault) }
    return vaults.first { $0.path == path && !$0.isClosed } === vault
  }

  private static func report(_ event: VaultEvent, of vault: Vault) {
    switch event {
    case .added(let subject): report(kVaultAddEvent, subject, of: vault)
    case .modified(let subject), .moved(let subject, from: _):
      report(kVaultUpdateEvent, subject, of: vault)
    case .removed: report(VaultEventKind(kVaultDeleteEvent), of: vault)
    case .locked: report(VaultEventKind(kVaultLockEvent), of: vault)
    case .unlocked: report(VaultEventKind(kVaultUnlockEvent), of: vault)
    case .changedElsewhere: report(VaultEventKind(kVaultUpdateEvent), of: vault, isOwn: false)
    case .defaultChanged, .policyChanged: break
    }
  }

  private static func report(
    _ event: Int, _ subject: VaultEvent.Subject, of vault: Vault
  ) {
    var query = ItemQuery.everything
    query.id = subject.id
    query.itemClass = subject.service == nil ? .internetPassword : .genericPassword
    do throws(VaultError) {
      let item = try vault.findAll(query).first
      report(
        VaultEventKind(event), of: vault,
        item: item.map { ItemHandle($0, in: VaultHandle(vault)) })
    } catch {
      // It is locked, or the item is gone again: the event is reported without it.
      report(VaultEventKind(event), of: vault)
    }
  }

  /// Calls every function that wants an event, one after the other.
  static func report(
    _ event: VaultEventKind, of vault: Vault?, item: ItemHandle? = nil, isOwn: Bool = true
  ) {
    let entries = state.withLock { $0.entries.filter { $0.events >> event & 1 == 1 } }
    guard !entries.isEmpty else { return }
    let itemReference = unsafe item?.givenOut()
    let vaultReference = unsafe vault.flatMap { unsafe VaultHandle($0).givenOut() }
    // The references are valid until the calls return, and the structure belongs to this function.
    var info = unsafe VaultCallbackInfo(
      version: 0, item: itemReference, keychain: vaultReference, pid: isOwn ? getpid() : 0)
    for entry in entries { _ = unsafe entry.call(event, &info, entry.context) }
    unsafe VaultRelease(UnsafeRawPointer(itemReference))
    unsafe VaultRelease(UnsafeRawPointer(vaultReference))
  }
}

extension VaultError.Code {
  fileprivate static let duplicateCallback = Self(rawValue: Int32(errVaultDuplicateCallback))
  fileprivate static let invalidCallback = Self(rawValue: Int32(errVaultInvalidCallback))
}

extension Vault {
  /// Whether it was closed, or can no longer be used.
  fileprivate var isClosed: Bool {
    do throws(VaultError) {
      return try state() == .closed
    } catch {
      return true
    }
  }
}
