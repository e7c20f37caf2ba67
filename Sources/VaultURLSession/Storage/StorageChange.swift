import CDispatch
import CredentialVault
import VaultModel

/// A requested change of a storage that is not written yet.
enum StorageChange: Sendable {
  /// Stores a credential; with `isDefault`, also as the default of the space.
  case set(Credential, ProtectionSpace, isDefault: Bool, afterAcceptance: Bool)
  /// Stores a pending credential, because a server has accepted it.
  case confirm(PendingCredential, Credential, ProtectionSpace)
  /// Removes a user's credentials, from session and file.
  case remove(user: String, ProtectionSpace)
  /// Removes a user's credentials from the session, and keeps the permanent ones.
  case endSession(user: String, ProtectionSpace)

  var space: ProtectionSpace {
    switch self {
    case .set(_, let space, _, _), .confirm(_, _, let space), .remove(_, let space),
      .endSession(_, let space):
      space
    }
  }

  /// Writes the change; removing a missing credential is not an error.
  ///
  /// - Throws: The errors of storing and removing.
  func commit(to vault: Vault, _ snapshot: VaultSnapshot) throws(VaultError) {
    do throws(VaultError) {
      switch self {
      case .set(let credential, let space, let isDefault, let isAccepted):
        let stored =
          isDefault
          ? try vault.setDefaultCredential(credential, for: space, afterAcceptance: isAccepted)
          : try vault.set(credential, for: space, afterAcceptance: isAccepted)
        // The session's would hide it, and the last one set takes precedence.
        if stored.item.persistence == .permanent {
          try endSession(of: credential.user, in: vault, snapshot)
        }
      case .confirm(let pending, _, _): try vault.pending.confirm(pending)
      case .remove(let user, let space):
        try vault.remove(user: user, for: space, removal: .ofProgram)
      case .endSession(let user, _): try endSession(of: user, in: vault, snapshot)
      }
    } catch {
      guard error.code == .itemNotFound else { throw error }
    }
  }

  private func endSession(
    of user: String, in vault: Vault, _ snapshot: VaultSnapshot
  ) throws(VaultError) {
    for item in try snapshot.sessionItems(of: user, in: space) { try vault.remove(item) }
  }

  // MARK: Before it is written

  /// Changes the result of a lookup to what it will be once this is written.
  ///
  /// - Parameters:
  ///   - found: The candidates, the session's before the file's, each best first.
  ///   - asked: The space of the lookup; nil for all.
  func apply(to found: inout [Candidate], asked: ProtectionSpace?) {
    let query = ItemQuery(space)
    switch self {
    case .set(let credential, _, _, _):
      replace(with: credential, in: &found, query, asked) {
        credential.persistence == .permanent || $0.item.persistence == .session
      }
    case .confirm(let pending, let credential, _):
      replace(with: credential, in: &found, query, asked) { $0.pending == pending }
    case .remove(let user, _):
      found.removeAll { $0.isOf(user) && query.rank(of: $0.item) != nil }
    case .endSession(let user, _):
      found.removeAll {
        $0.isOf(user) && $0.item.persistence == .session && query.rank(of: $0.item) != nil
      }
    }
  }

  /// Inserts a credential under the key of the one that it will replace.
  private func replace(
    with credential: Credential, in found: inout [Candidate], _ query: ItemQuery,
    _ asked: ProtectionSpace?, where isReplaced: (Candidate) -> Bool
  ) {
    func isSame(_ candidate: Candidate) -> Bool {
      candidate.isOf(credential.user) && query.rank(of: candidate.item) != nil
    }
    let known =
      found.first { isSame($0) && $0.item.persistence == credential.persistence }
      ?? found.first { isSame($0) }
    found.removeAll { isSame($0) && isReplaced($0) }
    var item = Item(
      space: known?.item.space ?? space, account: credential.user, secret: credential.secret)
    item.accountDomain = credential.accountDomain
    item.persistence = credential.persistence
    if let asked, ItemQuery(asked).rank(of: item) == nil { return }
    found.insert(Candidate(item: item, pending: nil), at: 0)
  }
}

extension Candidate {
  fileprivate func isOf(_ user: String) -> Bool { item.account.utf8.elementsEqual(user.utf8) }
}

/// The parts of a snapshot that must be read again.
struct Staleness {
  var isAll = false
  var spaces: Set<ProtectionSpace> = []
  /// The items that no longer answer a space.
  ///
  /// They were removed at once, but a read that had begun earlier may have added them again.
  var withoutSpace: Set<ItemID> = []

  /// Records that an item of the file was changed.
  mutating func note(_ subject: VaultEvent.Subject, from place: Persistence = .none) {
    guard subject.persistence == .permanent || place == .permanent, let space = subject.space else {
      return
    }
    spaces.insert(space)
  }
}

/// The caller of a storage, as far as the call's queue shows it.
///
/// FoundationNetworking does not say why it calls. Its use of queues was observed on 6.3.1, and
/// tests check it again.
enum CallingQueue {
  /// A URLSession task, which looks up credentials, and sets the used one after every success.
  case task
  /// The queue on which `URLSession.reset()` lists and removes everything: Dispatch's own
  /// background queue.
  case background
  /// Any other queue: the app itself.
  case app

  static var current: CallingQueue {
    // The label of the queue that this runs on, which lives at least as long: a C string, never
    // null.
    let label = unsafe String(cString: dispatch_queue_get_label(nil))
    if label == "com.apple.root.background-qos" { return .background }
    return names.contains(where: label.hasPrefix) ? .task : .app
  }

  /// The prefixes of the labels of URLSession's queues, which all target its one queue.
  ///
  /// Lookups were seen on the first, and `set` on the first and on a task's own, one in nine.
  private static let names = ["MultiHandle.", "org.swift.URLSession", "URLSession<"]
}
