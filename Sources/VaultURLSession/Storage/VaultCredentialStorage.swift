public import CredentialVault
import Foundation
public import FoundationNetworking
import SecureMemory
public import VaultModel

// Proof: everything is `let`, of Sendable types; what Foundation's own class would store is never used.
/// A vault as Foundation's credential storage: spaces are compared by value, and `.permanent` is permanent.
///
/// Give it to a session together with a ``VaultSessionDelegate``: Foundation on Linux deadlocks the process if a session without
/// any delegate finds a credential.
///
/// - Lookups wait for nothing: they read the vault's session and a copy of its file in memory, in which secrets are sealed. A
///   vault that is locked, and a file that cannot be read any more, answer with nothing. What is written through another
///   ``CredentialVault/Vault`` of this process is seen a moment later; each lookup has the file looked at, too, so that what
///   another process has written is seen a moment after that. After ``flush()`` all of it is seen.
/// - Changes are queued, seen by lookups at once, and written in their order by a queue of the storage's own, also after the
///   storage was released; a program that ends calls ``flush()`` before. What a policy grants, and what fails, is seen after
///   that.
/// - `NSURLCredentialStorageChanged` is posted once after each commit that changed a credential or default, whoever made
///   it, on a queue of its own.
/// - What a task of URLSession's was given here and sets again after its success is confirmed if it was pending, and else not
///   written: it may have been changed or removed meanwhile.
/// - `URLSession.reset()` ends the credentials of the session, and removes nothing permanent. What an app lists with
///   ``allCredentials`` on Dispatch's global background queue, and removes there, is taken for that.
public final class VaultCredentialStorage: URLCredentialStorage, @unchecked Sendable {
  private let keeper: SnapshotKeeper
  private let spaces = InternedSpaces()

  /// Where the credentials are.
  public var vault: Vault { keeper.vault }

  /// Opens a storage over a vault, which may be locked, and reads what is there.
  ///
  /// May wait for the vault's file, and so is not to be called from within a transaction of the vault.
  ///
  /// - Parameters:
  ///   - vault: Where the credentials are.
  ///   - onError: Is told what could not be read or written, and which spaces and credentials can be none, on any thread.
  public init(_ vault: Vault, onError: @escaping @Sendable (VaultError) -> Void = { _ in }) {
    keeper = SnapshotKeeper(vault, onError: onError)
    super.init()
    keeper.tellChanges { [weak self] in
      guard let self else { return }
      NotificationCenter.default.post(name: .NSURLCredentialStorageChanged, object: self)
    }
  }

  /// Waits until everything is written that was set or removed so far, and what others wrote is seen.
  ///
  /// Not to be called on URLSession's own queues, which would wait with it, nor from within a transaction of the vault.
  ///
  /// - Throws: The first error of a change since the last call; ``VaultModel/VaultError/Code/invalidArgument`` in an
  ///   observer of the vault that is told of a change of the storage's own.
  public func flush() throws(VaultError) {
    try keeper.flush()
  }

  // MARK: Looking up

  /// The credentials of a space by their users; nil if there are none, or the vault is locked.
  ///
  /// Neither what has expired, nor what is no text.
  public override func credentials(for space: URLProtectionSpace) -> [String: URLCredential]? {
    guard let space = value(of: space) else { return nil }
    let found = credentials(space)
    guard !found.isEmpty else { return nil }
    return Dictionary(
      found.map { ($0.credential.user, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// All credentials by space and user; each space is the same object at every call.
  public override var allCredentials: [URLProtectionSpace: [String: URLCredential]] {
    let isInBackground = CallingQueue.current == .background
    var bySpace: [ProtectionSpace: [String: URLCredential]] = [:]
    for candidate in keeper.candidates(for: nil) {
      guard let space = candidate.item.space, candidate.item.secret?.text != nil,
        bySpace[space]?[candidate.item.account] == nil
      else { continue }
      bySpace[space, default: [:]][candidate.item.account] = VaultURLCredential(
        candidate, for: space, in: vault, isListedInBackground: isInBackground)
    }
    let objects = spaces.objects(for: bySpace.keys)
    var all: [URLProtectionSpace: [String: URLCredential]] = [:]
    for (space, credentials) in bySpace {
      if let object = objects[space] { all[object] = credentials }
    }
    return all
  }

  /// The credential of the user that was chosen for a space, else that of its only user.
  ///
  /// A choice is of a user and no copy: it shows the user's password as it is, and goes with the user.
  public override func defaultCredential(for space: URLProtectionSpace) -> URLCredential? {
    guard let space = value(of: space) else { return nil }
    return defaultCredential(space)
  }

  private func defaultCredential(_ space: ProtectionSpace) -> VaultURLCredential? {
    let found = credentials(space)
    for user in keeper.defaultUsers(for: space) {
      if let chosen = found.first(where: { $0.isOf(user) }) { return chosen }
    }
    return found.count == 1 ? found.first : nil
  }

  /// The first of each user.
  private func credentials(_ space: ProtectionSpace) -> [VaultURLCredential] {
    var users: Set<[UInt8]> = []
    return keeper.candidates(for: space).compactMap { candidate in
      guard candidate.item.secret?.text != nil,
        users.insert(Array(candidate.item.account.utf8)).inserted
      else { return nil }
      return VaultURLCredential(candidate, for: space, in: vault)
    }
  }

  // MARK: Changing

  /// Stores a credential, in place of the one of the same user; `.none` stores nothing and removes nothing.
  ///
  /// For the session it hides a permanent one, which stays. What is there already is not written again.
  public override func set(_ credential: URLCredential, for space: URLProtectionSpace) {
    set(credential, for: space, isDefault: false)
  }

  /// Makes a user the default of a space, and stores the credential unless it is there.
  public override func setDefaultCredential(
    _ credential: URLCredential, for space: URLProtectionSpace
  ) {
    set(credential, for: space, isDefault: true)
  }

  private func set(_ object: URLCredential, for space: URLProtectionSpace, isDefault: Bool) {
    guard object.persistence != .none, let space = value(of: space),
      let credential = value(of: object)
    else { return }
    let isOfTask = CallingQueue.current == .task
    // A task says what it had from here itself. Meanwhile it may have been changed or removed, and must not come back.
    if isOfTask, let own = object as? VaultURLCredential, own.vault === vault, own.space == space {
      if let pending = own.pending {
        var accepted = credential
        accepted.persistence = pending.requested
        keeper.queue(.confirm(pending, accepted, space))
      }
      return
    }
    let isThere = credentials(space).contains { $0.has(credential) }
    let isChosen =
      !isDefault || keeper.defaultUsers(for: space).first.map(credential.isOf(_:)) == true
    guard !isThere || !isChosen else { return }
    keeper.queue(.set(credential, space, isDefault: isDefault, isAccepted: isOfTask))
  }

  /// Removes a user's credentials from the session and from the file, whatever their passwords are.
  public override func remove(_ credential: URLCredential, for space: URLProtectionSpace) {
    remove(credential, for: space, options: nil)
  }

  /// Removes a user's credentials from the session and from the file.
  ///
  /// A credential that says itself that it is synchronizable is removed only with
  /// `NSURLCredentialStorageRemoveSynchronizableCredentials`; those that a vault gives never say so.
  public override func remove(
    _ credential: URLCredential, for space: URLProtectionSpace, options: [String: AnyObject]? = [:]
  ) {
    if credential.persistence.isSynchronizable {
      let option = options?[NSURLCredentialStorageRemoveSynchronizableCredentials]
      guard (option as? NSNumber)?.boolValue == true else { return }
    }
    guard let space = value(of: space) else { return }
    guard let user = credential.user else {
      return keeper.report(VaultError(.invalidArgument, "the credential has no user"))
    }
    // `URLSession.reset()` removes one by one what it listed, on a queue that it has from Dispatch.
    if CallingQueue.current == .background, let own = credential as? VaultURLCredential,
      own.isListedInBackground, own.vault === vault
    {
      if own.persistence == .forSession { keeper.queue(.endSession(user: user, space)) }
      return
    }
    keeper.queue(.remove(user: user, space))
  }

  // MARK: Mapping

  private func value(of space: URLProtectionSpace) -> ProtectionSpace? {
    do throws(VaultError) {
      return try ProtectionSpace(space)
    } catch {
      keeper.report(error)
      return nil
    }
  }

  private func value(of credential: URLCredential) -> Credential? {
    do throws(VaultError) {
      return try Credential(credential)
    } catch {
      keeper.report(error)
      return nil
    }
  }
}

extension VaultURLCredential {
  fileprivate func isOf(_ user: String) -> Bool { credential.isOf(user) }

  /// Whether it is stored, and says the same.
  fileprivate func has(_ other: Credential) -> Bool {
    pending == nil && isOf(other.user) && credential.persistence == other.persistence
      && credential.secret.isEqual(to: other.secret)
  }
}

extension Credential {
  fileprivate func isOf(_ other: String) -> Bool { user.utf8.elementsEqual(other.utf8) }
}
