import CredentialVault
import Glibc
import VaultModel

extension CommandName {
  /// Whether the command may write to a vault's file, so that the program which asks the fleet's
  /// server has to run it for a replica.
  ///
  /// Certificates are not among them: their program links no library of the server.
  fileprivate var mayWrite: Bool {
    switch self {
    case .add, .modify, .edit, .remove, .trash, .history, .revert, .pin, .log, .defaultUser,
      .policy, .purge, .unlock, .slot, .changePassphrase, .rekey, .restore, .merge, .migrate,
      .importItems, .gitCredential, .dockerCredential:
      true
    default: false
    }
  }
}

extension Invocation {
  /// Whether the command may write to a replica of a fleet's vault.
  ///
  /// A file beside the replica says that it is one. Without that file, a write fails later, and
  /// changes nothing.
  var mayWriteReplica: Bool {
    guard command.id.mayWrite else { return false }
    // What Git and Docker do most often.
    if command.id.hasProtocol, arguments.operands.first == "get" { return false }
    do throws(VaultError) {
      return try VaultLocation.list(arguments.texts(.vault)).vaults.contains {
        // The path is a C string during the call.
        unsafe access($0.path + ".fleet", F_OK) == 0
      }
    } catch {
      // The command meets the same error and reports it.
      return false
    }
  }
}
