/// The result of one check of a diagnosis.
public struct DiagnosticResult: Sendable {
  /// The severity of a result, from good to bad.
  public enum Status: String, Sendable, Comparable, CaseIterable {
    /// Everything is as it should be.
    case ok
    /// Worth knowing, but not wrong.
    case note
    /// It works, but is weaker or more fragile than it could be.
    case warning
    /// The vault cannot be used, or not safely.
    case problem

    /// Returns whether the first is less severe.
    public static func < (left: Status, right: Status) -> Bool {
      allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
    }
  }

  /// The name of the check: a word that stays the same in later versions.
  public let check: String
  /// The severity of the result.
  public let status: Status
  /// The result in words: lower case, no secret, no trailing stop.
  public let text: String
  /// The suggested next step, if there is one.
  public let remedy: Remedy?
  /// The error code that using the vault would fail with; only for a problem.
  public let code: VaultError.Code?

  package init(_ check: String, _ status: Status, _ text: String, remedy: Remedy? = nil) {
    self.check = check
    self.status = status
    self.text = text
    self.remedy = remedy
    code = nil
  }

  /// Creates a problem from an error.
  package init(_ check: String, _ error: VaultError, remedy: Remedy? = nil) {
    self.check = check
    status = .problem
    text = error.context.isEmpty ? error.code.description : error.context
    self.remedy = remedy
    code = error.code
  }
}
