/// One thing that a diagnosis looked at, and what it saw.
public struct DiagnosticResult: Sendable {
  /// How it is, from good to bad.
  public enum Status: String, Sendable, Comparable, CaseIterable {
    /// As it should be.
    case ok
    /// Worth knowing, and not wrong.
    case note
    /// Works, and is weaker or more fragile than it could be.
    case warning
    /// The vault cannot be used, or not safely.
    case problem

    /// Whether the first is less bad.
    public static func < (left: Status, right: Status) -> Bool {
      allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
    }
  }

  /// What was looked at: a word that stays the same in later versions.
  public let check: String
  /// How it is.
  public let status: Status
  /// What was seen: lower case, no secret, no trailing stop.
  public let text: String
  /// What can be done about it.
  public let hint: String?
  /// What using the vault would fail with; only of a problem.
  public let code: VaultError.Code?

  package init(_ check: String, _ status: Status, _ text: String, hint: String? = nil) {
    self.check = check
    self.status = status
    self.text = text
    self.hint = hint
    code = nil
  }

  /// A problem.
  package init(_ check: String, _ error: VaultError, hint: String? = nil) {
    self.check = check
    status = .problem
    text = error.context.isEmpty ? error.code.description : error.context
    self.hint = hint
    code = error.code
  }
}
