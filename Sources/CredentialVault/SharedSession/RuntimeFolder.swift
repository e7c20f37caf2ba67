import Glibc
import VaultStore
import VaultModel

/// This project's folder for as long as the user is logged in: `$XDG_RUNTIME_DIR/vaultctl`.
///
/// Source: XDG Base Directory Specification 0.8: the variable names a folder of this user alone,
/// which is gone after the last logout. As a rule it is in memory, and no other one is used.
enum RuntimeFolder {
  /// Returns the folder's path if it exists; nil if it does not.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if the variable names no folder, or one on a disk;
  ///   ``VaultError/Code/unsafePermissions`` if others could look into either one, or it is a
  ///   symbolic link.
  static func existing() throws(VaultError) -> String? {
    guard let base = Environment.value("XDG_RUNTIME_DIR"), base.hasPrefix("/") else {
      throw VaultError(.unavailable, "XDG_RUNTIME_DIR names no folder")
    }
    guard let resolved = unsafe realpath(base, nil) else {
      throw VaultError(
        .unavailable, "XDG_RUNTIME_DIR names no folder: \(base)", underlying: .errno(errno))
    }
    // realpath gave a string of its own, freed here.
    defer { unsafe free(resolved) }
    let folder = unsafe String(cString: resolved)
    try check(folder)
    let own = folder + "/vaultctl"
    guard try Posix.information(own) != nil else { return nil }
    try check(own)
    return own
  }

  /// Returns the folder's path, and makes it if it is missing.
  ///
  /// - Throws: As ``existing()``; ``VaultError/Code/cannotCreate``.
  static func make() throws(VaultError) -> String {
    if let folder = try existing() { return folder }
    // `existing()` throws unless the variable is set and names a folder.
    let folder = (Environment.value("XDG_RUNTIME_DIR") ?? "") + "/vaultctl"
    guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else {
      throw Posix.failure(folder, .cannotCreate)
    }
    guard let made = try existing() else { throw Posix.failure(folder, .cannotCreate) }
    return made
  }

  private static func check(_ folder: String) throws(VaultError) {
    guard let status = try Posix.information(folder), status.isFolder else {
      throw VaultError(.unsafePermissions, "\(folder) is not a folder")
    }
    guard status.owner == geteuid() else {
      throw VaultError(.unsafePermissions, "the folder \(folder) belongs to another user")
        .about(.access(.takeOwnership(path: folder, of: .folder)))
    }
    guard status.mode & 0o077 == 0 else {
      throw VaultError(.unsafePermissions, "the folder \(folder) can be used by others")
        .about(.access(.makePrivate(path: folder)))
    }
    guard FileSystem.isInMemory(folder) else {
      throw VaultError(.unavailable, "the folder \(folder) is on a disk, and not in memory")
    }
  }
}
