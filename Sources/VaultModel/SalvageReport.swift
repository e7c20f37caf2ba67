/// What a salvage saved, and what it did not.
public struct SalvageReport: Sendable {
  /// The number of items in the new vault.
  public package(set) var itemCount = 0
  /// Saved items that no good tree leads to, without their secrets.
  ///
  /// They are authentic, but may be older than the last change, or have been removed since.
  public package(set) var unverified: [InternetPassword] = []
  /// What was found damaged on the way; some of it may have been saved all the same.
  public package(set) var problems: [VaultProblem] = []
  /// What is not in the new vault.
  public package(set) var lost: [VaultProblem] = []

  package init() {}

  /// Whether nothing is lost.
  public var isComplete: Bool { lost.isEmpty }
}
