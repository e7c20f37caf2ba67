import CredentialVault
import TLSCredentials
import VaultCommands
import VaultModel
import VaultTerminal

/// `vaultctl trust`.
enum TrustProgram {
  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let (action, inner) = invocation.takingAction()
    let operand = inner.arguments.operands.first
    switch (action, operand) {
    case ("check", let url?): return try TrustCheck.run(TLSServer(url), inner)
    case ("add", let url?): try TrustDecisions.add(TLSServer(url), inner)
    case ("list", nil): try TrustDecisions.list(inner)
    case ("show", let reference?): try TrustDecisions.show(reference, inner)
    case ("remove", let reference?): try TrustDecisions.remove(reference, inner)
    case ("list", _): throw VaultError(.invalidArgument, "unexpected argument")
    default:
      throw VaultError(
        .invalidArgument,
        "trust \(action ?? "") needs \(action == "show" || action == "remove" ? "REF" : "URL")")
    }
    return .success
  }
}

extension Invocation {
  /// Returns the vault whose decisions count; nil before one was ever made.
  ///
  /// - Throws: As ``openVault()``.
  func openVaultIfMade() throws(VaultError) -> Vault? {
    do throws(VaultError) {
      return try openVault()
    } catch {
      guard error.code == .vaultNotFound, !arguments.has(.vault) else { throw error }
      return nil
    }
  }
}
