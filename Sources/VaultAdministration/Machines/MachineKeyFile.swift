import CredentialVault
import VaultCrypto
import VaultStore
public import VaultModel

/// Key files of machines, which ``KeySource/keyFile(_:)`` reads as other key files.
///
/// Source: `Documentation/format.md` §4.4.
public enum MachineKeyFile: Sendable {
  /// Creates a machine's key, which only its owner can read, for a vault whose admin it joins.
  ///
  /// - Parameters:
  ///   - path: Must not exist; its folder must.
  ///   - name: The machine's name, at most 64 bytes.
  ///   - adminKey: The line of ``VaultMachines/adminKey()``. The machine opens no vault whose
  ///     machines another key signed.
  /// - Returns: The line with which ``VaultMachines/admit(_:asAdmin:with:)`` admits the machine. It
  ///   holds no secret.
  /// - Throws: ``VaultError/Code/invalidData`` for another line;
  ///   ``VaultError/Code/invalidArgument`` for a name that is empty, too long, or has NUL; as
  ///   ``KeyFile/create(at:)``.
  public static func create(
    at path: String, name: String, adminKey: String
  ) throws(VaultError) -> String {
    guard !name.isEmpty, name.utf8.count <= Slot.longestName, !name.utf8.contains(0) else {
      throw VaultError(
        .invalidArgument, "a machine's name has 1 to \(Slot.longestName) bytes and no NUL")
    }
    let key = MachineKey(joining: try MachineText.admin(adminKey))
    try KeyFile.store(key.encoded(), at: path)
    return MachineText.line(of: key, name: name)
  }

  /// Returns what people compare of a machine's or an admin key's line: eight groups of five
  /// digits.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` for another line.
  public static func fingerprint(of line: String) throws(VaultError) -> String {
    try MachineText.fingerprint(of: line)
  }
}
