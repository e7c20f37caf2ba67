public import VaultModel

/// One problem in a vault, with the affected data as far as it is known.
///
/// It contains no secret, nor does its description.
public struct VaultProblem: Sendable {
  /// The kind of problem, as a word in JSON; later versions may know others.
  public struct Kind: RawRepresentable, Hashable, Sendable {
    /// The word.
    public let rawValue: String

    /// Creates a kind from its word; unknown words are kept.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// A row of tags is lost, and with it the proof of some 128 buckets.
    public static let chunk = Kind(rawValue: "chunk")
    /// A bucket is lost.
    public static let bucket = Kind(rawValue: "bucket")
    /// A bucket opens, but a record in it is malformed or is where no lookup finds it.
    public static let record = Kind(rawValue: "record")
    /// An item opens, but a secret of it does not.
    public static let secret = Kind(rawValue: "secret")
    /// The records of one host or account that have a tree of their own cannot be reached.
    public static let tree = Kind(rawValue: "tree")
    /// A number of records or items differs from the stored count.
    public static let count = Kind(rawValue: "count")
    /// A row belongs to nothing.
    public static let row = Kind(rawValue: "row")
    /// A key slot is damaged.
    public static let slot = Kind(rawValue: "slot")
    /// Some of the heads before the present one, or of a fleet's commits, are lost or not signed:
    /// not every fork would be noticed.
    public static let ancestors = Kind(rawValue: "ancestors")
    /// SQLite reports an error in the file's structure.
    public static let structure = Kind(rawValue: "structure")
  }

  /// The kind of problem.
  public let kind: Kind
  /// The exact problem, in words: lower case, no trailing stop.
  public let reason: String
  /// The number of the tree that it is in; 0 is the main one.
  public package(set) var tree: Int?
  /// The buckets of the tree that are affected.
  public package(set) var buckets: ClosedRange<Int>?
  /// The server of the affected records, if all of them had one.
  public package(set) var server: HostName?
  /// The account of the affected records, if all of them had one.
  public package(set) var account: String?
  /// The affected item.
  public package(set) var item: ItemID?
  /// The number of lost records, if it is known exactly.
  public package(set) var missing: Int?
  /// Items that a backup, or an older state of the bucket, has in this place; without their
  /// secrets.
  public package(set) var items: [Item] = []

  package init(_ kind: Kind, _ reason: String) {
    self.kind = kind
    self.reason = reason
  }
}

extension VaultProblem: Hashable, CustomStringConvertible {
  /// The problem in one line: place, problem, and loss.
  public var description: String {
    var words: [String] = []
    if let buckets {
      words.append(
        buckets.count == 1
          ? "bucket \(buckets.lowerBound)"
          : "buckets \(buckets.lowerBound) to \(buckets.upperBound)")
    }
    if let tree, tree != 0 { words.append(words.isEmpty ? "tree \(tree)" : "of tree \(tree)") }
    if let item { words.append("item \(item.text)") }
    if let server { words.append("on \(server.isUnset ? "no server" : server.name.escaped)") }
    if let account { words.append("for \(account.isEmpty ? "no account" : account)") }
    let place = words.joined(separator: " ")
    let lost = missing.map { "; records lost: \($0)" } ?? ""
    return (place.isEmpty ? reason : "\(place): \(reason)") + lost
  }

  /// Returns whether both have the same kind and description.
  public static func == (left: VaultProblem, right: VaultProblem) -> Bool {
    left.kind == right.kind && left.description == right.description
  }

  /// Hashes the kind and the description.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(description)
  }
}

/// The result of a salvage: what was saved, and what was not.
public struct SalvageReport: Sendable {
  /// The number of items in the new vault.
  public package(set) var itemCount = 0
  /// Saved items that no good tree leads to, without their secrets.
  ///
  /// They are authentic, but may be older than the last change, or have been removed since. The
  /// list has at most 10 000 of them; ``unverifiedCount`` counts all.
  public package(set) var unverified: [Item] = []
  /// The number of saved items that no good tree leads to.
  public package(set) var unverifiedCount = 0
  /// The damage that was found; some of the affected data may have been saved all the same.
  public package(set) var problems: [VaultProblem] = []
  /// The records that are not in the new vault: at most 10 000, and then how many more.
  public package(set) var lost: [VaultProblem] = []
  /// The number of records that were found and could not be saved.
  public package(set) var lostCount = 0

  package init() {}

  /// Whether nothing is lost.
  public var isComplete: Bool { lost.isEmpty }
}
