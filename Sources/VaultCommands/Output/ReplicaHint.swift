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
    let (vault, old) = (Hint.quoted(path), Hint.quoted(path + ".old"))
    let option = named == nil ? "" : " --vault \(vault)"
    guard isThere(path) else {
      return
        "if another machine has a newer replica, vaultctl fleet init there first; vaultctl fleet"
        + " clone\(option) --accept-vault ADDRESS takes what the server has now"
    }
    if error.subject == .arbiter, error.code == .rolledBack {
      return "if the server was set back and does not only lag, vaultctl fleet init\(option) on the"
        + " newest replica gives it what it lost; vaultctl fleet head compares"
    }
    return "compare vaultctl fleet head with other machines first; then mv \(vault) \(old), and"
      + " vaultctl fleet clone\(option)\(isReplica ? "" : " ADDRESS") makes it anew; then vaultctl"
      + " merge\(option) \(old) brings what it alone had"
  }

  /// Returns the way to make a replica again that is lost: the one that was named, or one of the
  /// user's list; nil if none is.
  static func again(_ named: String?) -> String? {
    var paths = [named].compactMap(\.self)
    do throws(VaultError) {
      if paths.isEmpty { paths = try VaultLocation.list().vaults.map(\.path) }
    } catch {
      return nil
    }
    guard let lost = paths.first(where: { isReplica($0) && !isThere($0) }) else { return nil }
    return "vaultctl fleet clone --vault \(Hint.quoted(lost)) makes the replica again"
  }

  /// Returns the way on without the key of this machine; nil for another vault.
  static func withoutKey(_ path: String?, _ option: String) -> String? {
    guard let path, isReplica(path) else { return nil }
    let old = Hint.quoted(path + ".old")
    return
      "if this machine's key is lost, vaultctl fleet join LINE makes another one; once an admin"
      + " has admitted it, mv \(Hint.quoted(path)) \(old), and vaultctl fleet clone\(option)"
  }

  /// Returns whether a vault is a replica.
  static func isReplica(_ path: String) -> Bool { isThere(address(path)) }

  private static func isThere(_ path: String) -> Bool {
    // The path is a C string during the call.
    unsafe access(path, F_OK) == 0
  }

  private static func address(_ path: String) -> String {
    VaultLocation.replicaFile(besides: path)
  }
}
