import SecureMemory

/// The stores that this process has open, by the identity of their files.
///
/// The list's lock is never held while a file is opened, which may wait for other processes. Only
/// the openings of one file wait for each other.
enum OpenStores {
  private struct Entry: Sendable {
    let identity: FileIdentity
    weak let store: FileStore?
  }

  private struct State: Sendable {
    /// For the few vaults of a process, a list costs less than a dictionary's first use.
    var entries: [Entry] = []
    /// The files that a thread is opening.
    var opening: [FileIdentity] = []
  }

  /// The answer to somebody who is about to open a file.
  enum Claim {
    /// A store has it open.
    case open(FileStore)
    /// Another thread is opening it.
    case opening
    /// The caller opens it, and then calls ``unclaim(_:)``.
    case claimed
  }

  private static let state = Lock(State())

  /// Returns the store that has a file open, if it is usable, or lets the caller open the file.
  ///
  /// `isUsable` must not take a store's own lock: a transaction that holds it may open another
  /// vault.
  static func claim(_ identity: FileIdentity, where isUsable: (FileStore) -> Bool) -> Claim {
    state.withLock { state in
      state.entries.removeAll { $0.store == nil }
      for entry in state.entries where entry.identity == identity {
        if let store = entry.store, isUsable(store) { return .open(store) }
      }
      guard !state.opening.contains(identity) else { return .opening }
      state.opening.append(identity)
      return .claimed
    }
  }

  /// Ends a claim, whether the file was opened or not.
  static func unclaim(_ identity: FileIdentity) {
    state.withLock { $0.opening.removeAll { $0 == identity } }
  }

  /// Enters a store with the file that it has open now.
  static func enter(_ store: FileStore, as identity: FileIdentity) {
    state.withLock { state in
      state.entries.removeAll { $0.store === store }
      state.entries.append(Entry(identity: identity, store: store))
    }
  }
}
