import CredentialVault
import Glibc
import VaultModel

/// The next step after a replica or its server was set back: replicas are not restored, since the
/// server has the newest state, or else another replica has it.
enum ReplicaHint {
  /// Returns a command to try after ``VaultError/Code/rolledBack`` or ``VaultError/Code/forked``.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - named: The vault that was named on the command line.
  ///   - found: The vault that is used if none is named.
  /// - Returns: Nil if the error is about a vault that is not a replica.
  static func text(for error: VaultError, named: String?, found: String?) -> String? {
    guard let path = named ?? found else { return nil }
    let isReplica = isReplica(path)
    guard isReplica || error.subject == .arbiter else { return nil }
    if error.subject == .arbiter, error.code == .rolledBack {
      return "compare vaultctl fleet head with other machines; if the server was set back and does"
        + " not only lag, vaultctl fleet init ADDRESS on a new database publishes the newest replica,"
        + " and the others are cloned anew"
    }
    let (vault, old) = (Hint.quoted(path), Hint.quoted(path + ".old"))
    let option = named == nil ? "" : " --vault \(vault)"
    return "compare vaultctl fleet head with other machines first; then mv \(vault) \(old), and"
      + " vaultctl fleet clone\(option) ADDRESS makes it anew"
      + (isReplica ? ", with the ADDRESS in \(Hint.quoted(address(path)))" : "")
      + "; then vaultctl merge\(option) \(old) brings what it alone had"
  }

  /// Returns whether a vault is a replica.
  static func isReplica(_ path: String) -> Bool {
    // The path is a C string during the call.
    unsafe access(address(path), F_OK) == 0
  }

  private static func address(_ path: String) -> String {
    VaultLocation.replicaFile(besides: path)
  }
}
