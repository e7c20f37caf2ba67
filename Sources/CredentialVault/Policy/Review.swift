import SealedTree
import VaultStore
public import VaultModel

/// Compares what is stored with a policy.
struct Review {
  let policy: PersistencePolicy
  let now: Timestamp

  /// An excess of the file, with the record to remove if it is a previous secret or a removed item.
  struct Found {
    let excess: PolicyExcess
    var past: PastRecord?
  }

  /// Returns the excesses of the session's items.
  func session(_ session: LayeredSession) throws(VaultError) -> [PolicyExcess] {
    let pending = try session.own.pending(matching: .everything).compactMap { item in
      excess(of: item)
    }
    // A pending credential is decided when it is confirmed; until then it must be one that may be
    // used at all.
    return try pending.filter { $0.remedy == .remove }
      + session.stored(.everything).compactMap { item in excess(of: item) }
  }

  /// Returns the excesses of the file's content.
  func file(_ content: FileContent) -> [Found] {
    content.items.compactMap { item in excess(of: item).map { Found(excess: $0) } }
      + content.past.compactMap { past in excess(of: past).map { Found(excess: $0, past: past) } }
      + content.defaults.compactMap { space, user in
        excess(of: user, in: space).map { Found(excess: $0) }
      }
  }

  private func excess(of item: Item) -> PolicyExcess? {
    remedy(
      item.key, item.persistence, since: item.secretChanged, until: item.keptUntil ?? .latest,
      needsPIN: item.needsPIN
    ).map { rule, remedy in
      PolicyExcess(
        kind: .item, id: item.id, key: item.key, persistence: item.persistence, rule: rule,
        remedy: remedy)
    }
  }

  /// Returns the excess of a previous secret or a removed item, which is kept in the file or not at
  /// all, and no longer than its own secret may be.
  private func excess(of past: PastRecord) -> PolicyExcess? {
    remedy(
      past.key, .permanent, since: past.secretChanged, until: past.keptUntil ?? .latest
    ).map { rule, remedy in
      PolicyExcess(
        kind: past.kind == .previousSecret ? .previousSecret : .removedItem, id: past.id,
        key: past.key, persistence: .permanent, rule: rule,
        remedy: remedy == .moveToSession ? .remove : remedy)
    }
  }

  private func excess(of user: String, in space: ProtectionSpace) -> PolicyExcess? {
    let key = Item(space: space, account: user, secret: nil).key
    return remedy(key, .permanent, since: now, until: .earliest).map { rule, remedy in
      PolicyExcess(
        kind: .defaultUser, id: nil, key: key, persistence: .permanent, rule: rule,
        remedy: remedy)
    }
  }

  /// Returns the remedy and the rule that requires it; `until` is the earliest of all times for
  /// something that has no end to shorten.
  private func remedy(
    _ key: Item.Key, _ persistence: Persistence, since changed: Timestamp,
    until: Timestamp, needsPIN: Bool = true
  ) -> (PersistencePolicy.Rule, PolicyExcess.Remedy)? {
    let decision = policy.decide(
      key, requested: persistence, now: changed, needsPIN: needsPIN)
    guard let rule = decision.rule else { return nil }
    let end = decision.expires ?? .latest
    if decision.granted == .none || end <= now { return (rule, .remove) }
    if decision.granted < persistence { return (rule, .moveToSession) }
    return end < until ? (rule, .shorten(end)) : nil
  }
}

extension Timestamp {
  fileprivate static let earliest = Timestamp(milliseconds: .min)
  fileprivate static let latest = Timestamp(milliseconds: .max)
}

/// Something that is kept although the policy would no longer grant it.
public struct PolicyExcess: Sendable {
  /// The kind of thing that is kept.
  public enum Kind: String, Sendable {
    /// An item of the session or the file.
    case item
    /// A secret that an item had before.
    case previousSecret = "previous-secret"
    /// An item that was removed and is kept so that it can be brought back.
    case removedItem = "removed-item"
    /// The default user of a space.
    case defaultUser = "default"
  }

  /// The change that ``VaultPolicy/apply()`` makes.
  public enum Remedy: Sendable, Hashable {
    /// It is kept in memory only.
    case moveToSession
    /// It is removed.
    case remove
    /// It is kept for a shorter time.
    case shorten(Timestamp)
  }

  /// The kind of thing that is kept.
  public let kind: Kind
  /// The identity of the item, of a removed item, or of the item to which a previous secret
  /// belongs; nil for a default.
  public let id: ItemID?
  /// The item's key; the key of a default names the space and the user.
  public let key: Item.Key
  /// The persistence that it has.
  public let persistence: Persistence
  /// The rule that it exceeds.
  public let rule: PersistencePolicy.Rule
  /// The change that applying the policy makes.
  public let remedy: Remedy

  /// The space that the key answers; nil without a server.
  public var space: ProtectionSpace? { key.space }
}
