public import VaultModel

/// A copy of a vault that takes part in a merge.
public enum MergeSide: String, Sendable {
  /// The vault that the other copy is merged into.
  case ours
  /// The other copy.
  case theirs
}

/// The side that decides where both copies changed the same thing.
public enum MergePreference: String, Sendable, CaseIterable {
  /// The vault itself.
  case ours
  /// The other copy.
  case theirs
  /// The side that changed it last; the vault itself for defaults and rules, which have no time.
  case newer
}

/// A difference between a vault and another copy of it, and its result in the merged vault.
public struct MergeChange: Sendable {
  /// The kind of thing that differs.
  public enum Subject: String, Sendable {
    /// An item.
    case item
    /// The default user of a space.
    case defaultUser = "default"
    /// A rule of the policy.
    case rule
  }

  /// The change since the copies were one: here is the vault itself, there the other copy.
  public enum Kind: String, Sendable {
    /// Only the vault has it.
    case addedHere = "added-here"
    /// Only the other copy has it.
    case addedThere = "added-there"
    /// It was changed in the vault.
    case changedHere = "changed-here"
    /// It was changed in the other copy.
    case changedThere = "changed-there"
    /// It was removed from the vault.
    case removedHere = "removed-here"
    /// It was removed from the other copy; the vault may never have had it.
    case removedThere = "removed-there"
    /// Both changed it, or it is unknown which of them did.
    case changedInBoth = "changed-in-both"
    /// The vault changed it, and the other copy removed it.
    case changedHereRemovedThere = "changed-here-removed-there"
    /// The vault removed it, and the other copy changed it.
    case removedHereChangedThere = "removed-here-changed-there"
  }

  /// The kind of thing that differs.
  public let subject: Subject
  /// The change since the copies were one.
  public let kind: Kind
  /// The identity of the item or rule; nil for a default.
  public let id: ItemID?
  /// The item's key; the key of a default names the space and the user; nil for a rule.
  public let key: Item.Key?
  /// The rule's name; nil for anything else.
  public let ruleName: String?
  /// The parts of an item that differ: attributes, `secret` among them, and `previous secrets`;
  /// empty if only one copy has it.
  public let attributes: [String]
  /// The time at which the vault changed or removed the item; nil if that is unknown.
  public let modifiedHere: Timestamp?
  /// The time at which the other copy changed or removed the item; nil if that is unknown.
  public let modifiedThere: Timestamp?
  /// The side whose state the merged vault has; nil if nobody has decided.
  public package(set) var side: MergeSide?
  /// The name of the rule that does not let the vault keep the other copy's item, empty if that is
  /// the policy's default; nil if it may be kept.
  public package(set) var refusedBy: String?

  /// Stands among ``attributes`` for the item's history.
  package static let previousSecrets = "previous secrets"

  /// Whether both sides changed it, so that somebody has to decide.
  public var isConflict: Bool {
    switch kind {
    case .changedInBoth, .changedHereRemovedThere, .removedHereChangedThere: true
    default: false
    }
  }

  /// Creates a difference from its parts; its side is known unless it is a conflict.
  package init(
    _ subject: Subject, _ kind: Kind, id: ItemID? = nil, key: Item.Key? = nil,
    ruleName: String? = nil, attributes: [String] = [], modifiedHere: Timestamp? = nil,
    modifiedThere: Timestamp? = nil
  ) {
    self.subject = subject
    self.kind = kind
    self.id = id
    self.key = key
    self.ruleName = ruleName
    self.attributes = attributes
    self.modifiedHere = modifiedHere
    self.modifiedThere = modifiedThere
    side =
      switch kind {
      case .addedHere, .changedHere, .removedHere: .ours
      case .addedThere, .changedThere, .removedThere: .theirs
      case .changedInBoth, .changedHereRemovedThere, .removedHereChangedThere: nil
      }
  }

  /// Returns the side that a preference chooses.
  package func side(preferring preference: MergePreference) -> MergeSide {
    switch preference {
    case .ours: return .ours
    case .theirs: return .theirs
    case .newer:
      guard let modifiedHere, let modifiedThere else { return .ours }
      return modifiedThere > modifiedHere ? .theirs : .ours
    }
  }
}
