import VaultCrypto
import VaultFile
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

extension Vault {
  /// Returns what replicas of one generation have in common: its number, and 16 bytes of a hash.
  ///
  /// The hash is that of the commit, which stands for everything before; of a vault that is not
  /// part of a fleet, that of the sealed head.
  ///
  /// - Throws: ``VaultError/Code/locked``; as any reading.
  package func headHash() throws(VaultError) -> (generation: UInt64, hash: [UInt8]) {
    let file = try requireFile()
    let information = try file.information()
    guard information.ident.isArbitrated else {
      return (information.generation, information.headHash)
    }
    let head = try file.headHash()
    return (head.generation, Array(head.hash.prefix(information.headHash.count)))
  }
}

extension VaultLocation {
  /// Returns the path of the file with the address of a replica's server.
  package static func replicaFile(besides vault: String) -> String {
    ReplicaFile.path(besides: vault)
  }
}

extension KeyFile {
  /// The path of this machine's key if no other is named; nil without a home.
  ///
  /// It is beside ``defaultPath``, and tried before it.
  package static var machinePath: String? {
    VaultLocation.folder("XDG_CONFIG_HOME", below: ".config").map { $0 + "/machine.key" }
  }

  /// Makes the folder of a key file, 0700, if it is missing.
  ///
  /// - Throws: ``VaultError/Code/cannotCreate``; ``VaultError/Code/unsafePermissions``.
  package static func makeFolder(of path: String) throws(VaultError) {
    try FolderCheck.run(on: path)
    try VaultPath.makeFolder(of: path)
  }
}

extension KeySource {
  /// Whether it is the file of this machine's key.
  ///
  /// It is half of nothing, and makes no other slot.
  package var isMachineFile: Bool {
    guard case .keyFile(let path) = self else { return false }
    return path == KeyFile.machinePath
  }

  /// Reads the key, and returns whether it is a machine's.
  package func isMachine() throws(VaultError) -> Bool { try read().kind == .machine }
}
