package import VaultModel

/// Returns the error that work ends with; nil if it succeeds.
package func outcome(_ work: () throws(VaultError) -> Void) -> VaultError? {
  do throws(VaultError) {
    try work()
    return nil
  } catch {
    return error
  }
}

extension VaultFixture {
  /// Returns the code of the error that opening and reading the vault ends with; nil for none.
  package func readingOutcome() -> VaultError.Code? {
    outcome { () throws(VaultError) in _ = try contents() }?.code
  }
}
