import CredentialVault
import VaultCrypto
import VaultStore
public import VaultModel

/// Key files of machines, which ``KeySource/keyFile(_:)`` reads as other key files.
///
/// Source: `Documentation/format.md` §4.4.
public enum MachineKeyFile: Sendable {
  /// Creates a machine's key, which only its owner can read, for a vault whose admin it joins; a
  /// machine that has its key joins one more admin with it.
  ///
  /// - Parameters:
  ///   - path: The key file; its folder must exist.
  ///   - name: The machine's name, at most 64 bytes.
  ///   - adminKey: The line of ``VaultMachines/adminKey()``. The machine opens no vault whose
  ///     machines another key signed than those that it has joined.
  /// - Returns: The line with which ``VaultMachines/admit(_:asAdmin:with:)`` admits the machine. It
  ///   holds no secret.
  /// - Throws: ``VaultError/Code/invalidData`` for another line;
  ///   ``VaultError/Code/invalidArgument`` for a name that is empty, too long, or has NUL;
  ///   ``VaultError/Code/tooLarge`` for more than 64 admins; ``VaultError/Code/cannotCreate`` if
  ///   the file is another one; as ``KeyFile/create(at:)``.
  public static func create(
    at path: String, name: String, adminKey: String
  ) throws(VaultError) -> String {
    guard !name.isEmpty, name.utf8.count <= Slot.longestName, !name.utf8.contains(0) else {
      throw VaultError(
        .invalidArgument, "a machine's name has 1 to \(Slot.longestName) bytes and no NUL")
    }
    let key = try key(at: path, joining: MachineText.admin(adminKey))
    return MachineText.line(of: key, name: name)
  }

  /// Returns the machine's key in a file, which has joined an admin key then.
  static func key(at path: String, joining admin: AdminKey) throws(VaultError) -> MachineKey {
    guard KeyFile.isPresent(at: path) else {
      let new = MachineKey(joining: admin)
      try KeyFile.store(new.encoded(), at: path)
      return new
    }
    guard case .machine(let known) = try KeySource.keyFile(path).read() else {
      throw VaultError(.cannotCreate, "\(path) is another key file")
    }
    let joined = try known.joining(admin)
    if joined.admins != known.admins {
      try KeyFile.store(joined.encoded(), at: path, replacing: true)
    }
    return joined
  }

  /// Returns what people compare of a machine's or an admin key's line: eight groups of five
  /// digits.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` for another line.
  public static func fingerprint(of line: String) throws(VaultError) -> String {
    try MachineText.fingerprint(of: line)
  }
}
