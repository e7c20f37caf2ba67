/// What a salvage saved, and what it did not.
public struct SalvageReport: Sendable {
  /// The number of items in the new vault.
  public package(set) var itemCount = 0
  /// Saved items that no good tree leads to, without their secrets.
  ///
  /// They are authentic, but may be older than the last change, or have been removed since. At most 10 000 of them are
  /// here; ``unverifiedCount`` counts all.
  public package(set) var unverified: [InternetPassword] = []
  /// The number of saved items that no good tree leads to.
  public package(set) var unverifiedCount = 0
  /// What was found damaged on the way; some of it may have been saved all the same.
  public package(set) var problems: [VaultProblem] = []
  /// What is not in the new vault: at most 10 000 records, and then how many more.
  public package(set) var lost: [VaultProblem] = []
  /// The number of records that were found and could not be saved.
  public package(set) var lostCount = 0

  package init() {}

  /// Whether nothing is lost.
  public var isComplete: Bool { lost.isEmpty }
}
