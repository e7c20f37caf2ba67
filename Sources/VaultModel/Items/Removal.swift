/// How an item is removed, or a secret replaced: whether it can be restored afterwards.
public enum Removal: Sendable, Hashable {
  /// A removed item goes to the trash, and a replaced secret to the item's history.
  case recoverable
  /// Nothing stays in the file: a removed item takes its previous secrets with it, and so does a
  /// replaced secret.
  case permanent
  /// As ``permanent``, unless the vault is set to keep what programs remove.
  ///
  /// For programs that expect of a removal what Apple's keychain does: a logout that removes its
  /// token must not leave it to whoever gets the vault and its key next month.
  case ofProgram
}
