/// One change of a vault, reported after it was committed.
///
/// An event identifies the change and contains none of the data: no secret and no user. Observers
/// look up anything more.
public enum VaultEvent: Sendable, Hashable {
  /// An item that was changed.
  public struct Subject: Sendable, Hashable {
    /// The item's identity.
    public let id: ItemID
    /// The space that the item answers, after the change; nil without a server.
    public let space: ProtectionSpace?
    /// The service of a generic password, after the change; nil for other items.
    public let service: String?
    /// The place where the item is kept, after the change; where it was kept if it was removed.
    public let persistence: Persistence

    /// Creates a subject from its parts.
    package init(
      id: ItemID, space: ProtectionSpace?, service: String? = nil, persistence: Persistence
    ) {
      self.id = id
      self.space = space
      self.service = service
      self.persistence = persistence
    }

    /// Creates a subject for an item.
    package init(_ item: Item) {
      let isGeneric = item.key.itemClass == .genericPassword
      self.init(
        id: item.id, space: item.space, service: isGeneric ? item.key.service : nil,
        persistence: item.persistence)
    }
  }

  /// An item was added.
  case added(Subject)
  /// Attributes or secrets of an item were changed; its key, and with it its space, may have
  /// changed too.
  case modified(Subject)
  /// An item was moved from one place to another.
  case moved(Subject, from: Persistence)
  /// An item was removed.
  case removed(Subject)
  /// The default user of a space was changed or cleared, or was made permanent.
  case defaultChanged(ProtectionSpace)
  /// The rules for what may be kept were changed.
  case policyChanged
  /// The vault was locked or closed, or was rekeyed elsewhere and so is locked; the session's
  /// credentials are gone.
  case locked
  /// The vault was unlocked; anything may have changed while it was locked.
  case unlocked
  /// The file was changed other than through this process's open vault, and anything in it may be
  /// different.
  ///
  /// The change was made by another process, or by a restore in any process. Several such commits
  /// may be reported as one event.
  case changedElsewhere
}

extension VaultEvent.Subject: CustomStringConvertible {
  /// The item for people: its id, its space or service, and where it is kept.
  public var description: String {
    let place = space.map { " of \($0)" } ?? service.map { " of service \"\($0.escaped)\"" } ?? ""
    return "\(id)\(place), \(persistence)"
  }
}

extension VaultEvent: CustomStringConvertible {
  /// The event for people; a server chooses its realm, which is escaped.
  public var description: String {
    switch self {
    case .added(let subject): "added: \(subject)"
    case .modified(let subject): "modified: \(subject)"
    case .moved(let subject, let place): "moved from \(place): \(subject)"
    case .removed(let subject): "removed: \(subject)"
    case .defaultChanged(let space): "default changed: \(space)"
    case .policyChanged: "policy changed"
    case .locked: "locked"
    case .unlocked: "unlocked"
    case .changedElsewhere: "changed elsewhere"
    }
  }
}
