/// The version of everything that is built of these sources, as `CHANGELOG.md` names it.
public enum ProductVersion: Sendable {
  /// The version.
  public static let current = "0.2.0"
}
