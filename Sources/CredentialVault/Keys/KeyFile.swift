import Glibc
import SecureMemory
import VaultCrypto
import VaultStore
public import VaultModel

/// Files that hold a random key, in a small format of their own.
///
/// Source: `Documentation/format.md` §4.2.
public enum KeyFile: Sendable {
  /// The path of the key file that opens vaults if no other key is named:
  /// `$XDG_CONFIG_HOME/vaultctl/default.key`, else that below `~/.config`; nil without a home.
  public static var defaultPath: String? {
    VaultLocation.folder("XDG_CONFIG_HOME", below: ".config").map { $0 + "/default.key" }
  }

  /// Creates a new key file that only its owner can read.
  ///
  /// - Parameter path: Must not exist; its folder must.
  /// - Throws: ``VaultError/Code/cannotCreate`` if it exists or cannot be made or written, and then
  ///   nothing of it is left, unless only the sync of its folder failed;
  ///   ``VaultError/Code/unsafePermissions`` if everybody can write a folder above it.
  public static func create(at path: String) throws(VaultError) {
    try store(VaultCrypto.KeyFile().encoded(), at: path)
  }

  /// Writes a new file of a key, which gets its name when it is whole: another program may look for
  /// it, or make it, at the same time.
  ///
  /// - Parameters:
  ///   - bytes: The key.
  ///   - path: The file.
  ///   - isReplacing: Whether there is one already, which stays whole if the new one cannot be
  ///     written.
  /// - Throws: As ``create(at:)``.
  package static func store(
    _ bytes: Secret, at path: String, replacing isReplacing: Bool = false
  ) throws(VaultError) {
    try FolderCheck.run(on: path)
    do throws(VaultError) {
      let place = try VaultPath(path)
      let draft = try Draft(for: place)
      try draft.fill { (descriptor) throws(VaultError) in try write(bytes, to: descriptor) }
      if isReplacing {
        try draft.replace(place.path)
      } else {
        try Posix.publish(draft.path.path, as: place.path)
      }
      // Without this, a power cut could leave a vault whose key file has no directory entry.
      try place.synchronizeFolder()
    } catch {
      throw VaultError(
        .cannotCreate, "\(path) cannot be created", underlying: error.underlying
      ).about(error.subject)
    }
  }

  private static func write(_ bytes: Secret, to descriptor: Int32) throws(VaultError) {
    let written = bytes.withRawBytes { bytes in
      // The span has as many bytes as are written.
      unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }
    guard written == bytes.count else { throw Posix.failure("its key", .cannotCreate) }
  }

  /// Creates the key file at ``defaultPath`` for a vault, with its folder, 0700, unless there is
  /// one, which is used again.
  ///
  /// - Parameter vault: The vault's path.
  /// - Returns: The key file's path, and whether it is new.
  /// - Throws: ``VaultError/Code/cannotCreate`` if the vault is in the same folder, a copy of which
  ///   would then open itself, or the file cannot be written; ``VaultError/Code/configuration``
  ///   without a home; ``VaultError/Code/unsafePermissions`` as ``create(at:)``.
  package static func makeDefault(
    for vault: String
  ) throws(VaultError) -> (path: String, isNew: Bool) {
    guard let path = defaultPath else {
      throw VaultError(
        .configuration, "there is no place for a key file: set XDG_CONFIG_HOME or HOME")
    }
    try FolderCheck.run(on: path)
    try VaultPath.makeFolder(of: path)
    try VaultPath.makeFolder(of: vault)
    let (place, vaultPlace) = (try VaultPath(path), try VaultPath(vault))
    guard place.folder != vaultPlace.folder else {
      throw VaultError(
        .cannotCreate,
        "the key file would be beside the vault in \(place.folder)")
    }
    if isPresent(at: path) { return (path, false) }
    do throws(VaultError) {
      try create(at: path)
      return (path, true)
    } catch {
      // Another program made it at the same time; other failures are this one's own.
      guard error.underlying == .errno(EEXIST) else { throw error }
      return (path, false)
    }
  }

  /// Removes a file that was made for nothing.
  package static func discard(_ path: String) {
    // A C string for the call.
    unsafe unlink(path)
  }

  /// Returns whether a file exists at a path.
  package static func isPresent(at path: String) -> Bool {
    unsafe access(path, F_OK) == 0
  }
}
