import VaultCrypto
import VaultStore
package import VaultModel

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
