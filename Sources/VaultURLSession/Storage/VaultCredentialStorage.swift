public import CredentialVault
import Foundation
public import FoundationNetworking
import SecureMemory
public import VaultModel

// Proof: everything is `let`, of Sendable types; what Foundation's own class would store is never
// used.
/// A vault as Foundation's credential storage: spaces are compared by value, and `.permanent` is
/// permanent.
///
/// It is for code that uses `URLCredentialStorage`; code that only loads something takes
/// `authenticated(by:)`.
///
/// Use it in a session together with a ``VaultSessionDelegate``: Foundation on Linux deadlocks the
/// process if a session without any delegate finds a credential.
///
/// - Lookups never wait: they read the vault's session and a copy of its file in memory, in which
///   secrets are sealed. They find nothing if the vault is locked or its file cannot be read any
///   more. Changes through another ``CredentialVault/Vault`` of this process are seen a moment
///   later. Each lookup also schedules a look at the file, so changes by other processes are seen a
///   moment after that. After ``flush()``, all changes are seen.
/// - Changes are queued, visible to lookups at once, and written in order by the storage's own
///   queue, even after the storage was released; a program must call ``flush()`` before it ends.
///   The effect of a policy, or a failure, is visible only after the write.
/// - `NSURLCredentialStorageChanged` is posted once after each commit that changed a credential or
///   default, by anybody, on a queue of its own. ``flush()`` returns after it.
/// - If a space has no credential, those that are stored for its server without a realm count.
/// - A URLSession task sets a credential again after success. If that credential came from this
///   storage, it is confirmed if it was pending, and otherwise not written, because it may have
///   been changed or removed meanwhile.
/// - `URLSession.reset()` ends the credentials of the session, and removes no permanent ones. If an
///   app lists ``allCredentials`` on Dispatch's global background queue and removes some there,
///   this is treated in the same way.
public final class VaultCredentialStorage: URLCredentialStorage, @unchecked Sendable {
  private let keeper: SnapshotKeeper
  private let spaces = InternedSpaces()

  /// The storage of ``share(_:onError:)``; Foundation's own `shared` before that.
  public override class var shared: URLCredentialStorage {
    SharedVault.current.withLock { $0?.storage } ?? URLCredentialStorage.shared
  }

  /// The vault that holds the credentials.
  public var vault: Vault { keeper.vault }

  /// Creates a storage of a vault, which may be locked, and reads its contents.
  ///
  /// It may wait for the vault's file, so do not call it in a transaction of the vault. There is no
  /// asynchronous form, because code that configures a session has none to wait in.
  ///
  /// - Parameters:
  ///   - vault: The vault that holds the credentials.
  ///   - onError: Called with errors of reading and writing, and for invalid spaces and
  ///     credentials, on any thread.
  public init(_ vault: Vault, onError: @escaping @Sendable (VaultError) -> Void = { _ in }) {
    keeper = SnapshotKeeper(vault, onError: onError)
    super.init()
    keeper.tellChanges { [weak self] in
      guard let self else { return }
      NotificationCenter.default.post(name: .NSURLCredentialStorageChanged, object: self)
    }
  }

  /// Waits until all changes so far are written, changes by others are seen, and their
  /// notifications are posted.
  ///
  /// It waits for observers ten seconds at most; on the main thread and in an operation, for whose
  /// queue an observer may be waiting, a tenth of a second. Do not call it on URLSession's own
  /// queues, which it would block, nor in a transaction of the vault.
  ///
  /// - Throws: The first error of a change since the last call;
  ///   ``VaultModel/VaultError/Code/invalidArgument`` in an observer of the vault that is called
  ///   for a change of the storage's own.
  public func flush() throws(VaultError) {
    try keeper.flush()
  }

  // MARK: Looking up

  /// Returns the credentials of a space by user; nil if there are none, or the vault is locked.
  ///
  /// Credentials that have expired or are not text are left out, and so are tokens, which
  /// Foundation would send as passwords.
  public override func credentials(for space: URLProtectionSpace) -> [String: URLCredential]? {
    guard let space = value(of: space), let (_, found) = fallingBack(from: space) else {
      return nil
    }
    return Dictionary(
      found.map { ($0.credential.user, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// All credentials by space and user; a space has the same object in every call.
  public override var allCredentials: [URLProtectionSpace: [String: URLCredential]] {
    let isInBackground = CallingQueue.current == .background
    var bySpace: [ProtectionSpace: [String: URLCredential]] = [:]
    for candidate in keeper.candidates(for: nil) {
      guard let space = candidate.item.space, candidate.isTextualPassword,
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

  /// Returns the credential of a space's default user, else that of its only user.
  ///
  /// The default names a user; it is not a copy. It has the user's current password, and ends with
  /// the user.
  public override func defaultCredential(for space: URLProtectionSpace) -> URLCredential? {
    guard let space = value(of: space) else { return nil }
    return defaultCredential(space)
  }

  private func defaultCredential(_ space: ProtectionSpace) -> VaultURLCredential? {
    guard let (place, found) = fallingBack(from: space) else { return nil }
    for user in keeper.defaultUsers(for: place) {
      if let chosen = found.first(where: { $0.isOf(user) }) { return chosen }
    }
    return found.count == 1 ? found.first : nil
  }

  /// Returns the credentials of a space; if it has none, those of its server without a realm.
  ///
  /// - Returns: The space for which they are stored, and the first credential of each user; nil if
  ///   there are none.
  private func fallingBack(
    from space: ProtectionSpace
  ) -> (place: ProtectionSpace, found: [VaultURLCredential])? {
    for place in space.withFallback {
      let found = credentials(of: place, for: space)
      if !found.isEmpty { return (place, found) }
    }
    return nil
  }

  /// Returns the first credential of each user that is stored for one space, for a lookup of
  /// another.
  private func credentials(
    of place: ProtectionSpace, for space: ProtectionSpace
  ) -> [VaultURLCredential] {
    var users: Set<[UInt8]> = []
    return keeper.candidates(for: place).compactMap { candidate in
      guard candidate.isTextualPassword,
        users.insert(Array(candidate.item.account.utf8)).inserted
      else { return nil }
      return VaultURLCredential(candidate, for: space, in: vault)
    }
  }

  // MARK: Changing

  /// Stores a credential in place of the same user's; `.none` stores and removes nothing.
  ///
  /// One for the session hides a permanent one, which stays. A credential that is already stored is
  /// not written again.
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
    // A task sets credentials from this storage again. They may have been changed or removed
    // meanwhile, and must not return.
    if isOfTask, let own = object as? VaultURLCredential, own.vault === vault, own.space == space {
      if let pending = own.pending {
        var accepted = credential
        accepted.persistence = pending.requested
        keeper.queue(.confirm(pending, accepted, space))
      }
      return
    }
    let isThere = credentials(of: space, for: space).contains { $0.has(credential) }
    let isChosen =
      !isDefault || keeper.defaultUsers(for: space).first.map(credential.isOf(_:)) == true
    guard !isThere || !isChosen else { return }
    keeper.queue(.set(credential, space, isDefault: isDefault, afterAcceptance: isOfTask))
  }

  /// Removes a user's credentials from the session and from the file, whatever the password.
  ///
  /// If the space has none, those of its server without a realm are removed, which a lookup
  /// returns.
  public override func remove(_ credential: URLCredential, for space: URLProtectionSpace) {
    remove(credential, for: space, options: nil)
  }

  /// Removes a user's credentials from the session and from the file.
  ///
  /// A synchronizable credential is removed only with
  /// `NSURLCredentialStorageRemoveSynchronizableCredentials`; a vault's credentials are never
  /// synchronizable.
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
    // `URLSession.reset()` removes its list one by one, on a queue of Dispatch.
    if CallingQueue.current == .background, let own = credential as? VaultURLCredential,
      own.isListedInBackground, own.vault === vault
    {
      if own.persistence == .forSession { keeper.queue(.endSession(user: user, space)) }
      return
    }
    // A credential that a lookup returned can be removed.
    let place = fallingBack(from: space).flatMap { place, found in
      found.contains { $0.isOf(user) } ? place : nil
    }
    keeper.queue(.remove(user: user, place ?? space))
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

extension Candidate {
  /// Whether it is a password that Foundation can take.
  fileprivate var isTextualPassword: Bool {
    credential.kind == .password && item.secret?.text != nil
  }
}

extension ProtectionSpace {
  /// The space, and that of the same server without a realm.
  fileprivate var withFallback: [ProtectionSpace] {
    do throws(VaultError) {
      return try andWithoutRealm
    } catch {
      // It has the host, port and protocol of a valid space.
      return [self]
    }
  }
}

extension VaultURLCredential {
  fileprivate func isOf(_ user: String) -> Bool { credential.isOf(user) }

  /// Returns whether it is stored with the same contents.
  fileprivate func has(_ other: Credential) -> Bool {
    pending == nil && isOf(other.user) && credential.persistence == other.persistence
      && credential.secret.isEqual(to: other.secret)
  }
}

extension Credential {
  fileprivate func isOf(_ other: String) -> Bool { user.utf8.elementsEqual(other.utf8) }
}
