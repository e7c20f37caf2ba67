/// The result of a salvage: what was saved, and what was not.
public struct SalvageReport: Sendable {
  /// The number of items in the new vault.
  public package(set) var itemCount = 0
  /// Saved items that no good tree leads to, without their secrets.
  ///
  /// They are authentic, but may be older than the last change, or have been removed since. The
  /// list has at most 10 000 of them; ``unverifiedCount`` counts all.
  public package(set) var unverified: [InternetPassword] = []
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
