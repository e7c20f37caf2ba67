/// The persistence of a credential: how long it is kept.
///
/// Ordered by duration, so that a policy can cap it. Written without `Optional`: a `Persistence?`
/// would read `.none` as nil.
public enum Persistence: UInt8, Comparable, Sendable, CaseIterable {
  /// For this one use; nothing is stored.
  case none = 0
  /// In memory, gone with the process.
  case session = 1
  /// Sealed in the vault's file.
  case permanent = 2

  /// Returns whether the first is kept for a shorter time.
  public static func < (left: Persistence, right: Persistence) -> Bool {
    left.rawValue < right.rawValue
  }
}
