import VaultCrypto
import VaultStore
package import VaultModel

extension VaultLocation {
  /// Returns the path of the file in which the program that orders a replica's writes keeps where
  /// it asks; its time is that of the last answer.
  public static func replicaFile(besides vault: String) -> String {
    ReplicaFile.path(besides: vault)
  }

  /// Notes that a replica has all that its server had at a time, which becomes the file's.
  package static func noteContact(besides vault: String, at time: Timestamp) {
    do throws(VaultError) {
      try SmallFile.setTime(of: replicaFile(besides: vault), to: time)
    } catch {
      // The replica looks older than it is.
    }
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
