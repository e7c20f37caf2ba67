public import VaultModel

/// An entry of a vault's log: who changed what and when.
///
/// It names what was changed as it was then, and never a secret.
public struct LoggedChange: Sendable, Hashable {
  /// The kind of a change; the raw value is its name in JSON documents.
  public enum Operation: String, Sendable, Hashable, CaseIterable {
    /// An item was added.
    case added
    /// Attributes of an item were changed: ``LoggedChange/attributes``.
    case modified
    /// An item was removed; it may be in the trash.
    case removed
    /// An item was removed permanently, or left the trash on request.
    case purged
    /// An item was brought back from the trash or from a backup.
    case restored
    /// A previous secret of an item became its secret again.
    case reverted
    /// An item was moved from the file to the session.
    case moved
    /// An item of another program was added.
    case imported
    /// An item was taken over from another copy of the vault.
    case merged
    /// A user became the default of a space.
    case defaultSet = "default-set"
    /// The default of a space was cleared.
    case defaultCleared = "default-cleared"
    /// A rule was added to the policy.
    case ruleAdded = "rule-added"
    /// A rule of the policy was changed or moved.
    case ruleChanged = "rule-changed"
    /// A rule was removed from the policy.
    case ruleRemoved = "rule-removed"
    /// A slot was added.
    case slotAdded = "slot-added"
    /// A slot was renamed, or got another key or passphrase.
    case slotChanged = "slot-changed"
    /// A slot was removed.
    case slotRemoved = "slot-removed"
    /// The vault got new keys.
    case rekeyed
    /// A backup took the place of the vault's file; entries logged since the backup are gone.
    case vaultRestored = "vault-restored"
    /// A change that this version does not know.
    case other
  }

  /// The program and user that made a change, as the program described itself.
  ///
  /// Nothing proves it: anyone with a key of the vault can write any name.
  public struct Author: Sendable, Hashable {
    /// The program, and the command if it has several: `vaultctl import`.
    public let program: String
    /// The name of the system's user, or the number if it has none.
    public let user: String
    /// The name of the computer.
    public let host: String

    /// Creates an author.
    package init(program: String, user: String, host: String) {
      self.program = program
      self.user = user
      self.host = host
    }
  }

  /// The time of the commit, by the vault's clock.
  public let time: Timestamp
  /// The generation that the commit wrote.
  public let generation: UInt64
  /// The kind of the change.
  public let operation: Operation
  /// The id of the item or rule; nil if the change is of neither, or of several.
  public let id: ItemID?
  /// The account, and the server or service, with protocol and port, as they were then; the user
  /// and the space of a default; nil if the change is not of one item or default.
  public let key: Item.Key?
  /// The item's origin.
  public let origin: String
  /// The names of the changed attributes, as JSON documents have them.
  public let attributes: [String]
  /// The number of items that one entry stands for.
  public let itemCount: Int
  /// The name of the rule or slot.
  public let name: String
  /// The one who made the change.
  public let author: Author

  /// Creates an entry from its parts, as a store reads it.
  package init(
    _ operation: Operation, time: Timestamp, generation: UInt64, id: ItemID? = nil,
    key: Item.Key? = nil, origin: String = "", attributes: [String] = [],
    itemCount: Int = 1, name: String = "", author: Author
  ) {
    self.time = time
    self.generation = generation
    self.operation = operation
    self.id = id
    self.key = key
    self.origin = origin
    self.attributes = attributes
    self.itemCount = itemCount
    self.name = name
    self.author = author
  }

  /// The service of a generic password; nil for anything else.
  public var service: String? {
    key.flatMap { $0.itemClass == .genericPassword ? $0.service : nil }
  }

  /// The number of days for which changes are logged by default.
  package static let defaultDays = 90
  /// The range of numbers of days for which a vault can log changes.
  package static let dayLimits = 0...365

  /// Returns whether the first of two changes of a vault is the later one.
  package static func isNewer(_ left: LoggedChange, _ right: LoggedChange) -> Bool {
    left.time == right.time ? left.generation > right.generation : left.time > right.time
  }
}
