import CProcess
import CredentialVault
import Glibc
import SecureMemory
import VaultModel
import VaultTerminal

/// A folder of this process on a file system in memory, which only this user can enter.
///
/// It holds the files that an editor writes: the text itself, and the swap and backup files that
/// editors put beside it or rename over it. All are wiped and removed at the end.
struct MemoryFolder: ~Copyable {
  let path: String
  /// The folder's descriptor, locked until this process ends, in whatever way.
  private let lock: Int32
  /// The file that is edited.
  var file: String { path + "/item" }

  /// Creates the folder in `$XDG_RUNTIME_DIR`, or else in `/dev/shm`, and removes there those that
  /// processes left which were killed.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if neither is in memory: nothing that may hold a
  ///   secret is written to a disk.
  init() throws(VaultError) {
    let parents = [Environment.value("XDG_RUNTIME_DIR"), "/dev/shm"].compactMap(\.self)
    // The text ends with NUL.
    for parent in parents where unsafe vaultctl_is_in_memory(parent) == 1 {
      Self.removeAbandoned(in: parent)
      guard let made = Self.make(in: parent) else { continue }
      (path, lock) = made
      return
    }
    throw VaultError(
      .unavailable, "neither XDG_RUNTIME_DIR nor /dev/shm is in memory, so nothing can be edited")
  }

  deinit {
    Self.remove(path)
    close(lock)
  }

  /// Replaces the file.
  ///
  /// - Throws: ``VaultError/Code/cannotCreate``, ``VaultError/Code/inputOutput``.
  func write(_ body: (Int32) throws(VaultError) -> Void) throws(VaultError) {
    // The path is copied into a string that ends with NUL for the call.
    let descriptor = unsafe open(
      file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw VaultError(.cannotCreate, "the edited file", underlying: .errno(errno))
    }
    defer { close(descriptor) }
    try body(descriptor)
  }

  /// Reads the file as the editor left it.
  ///
  /// - Throws: ``VaultError/Code/missingInput`` if it is gone, ``VaultError/Code/tooLarge``.
  func read() throws(VaultError) -> Secret {
    // As above.
    let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else {
      throw VaultError(.missingInput, "the edited file", underlying: .errno(errno))
    }
    defer { close(descriptor) }
    return try SecretInput.readAll(from: descriptor)
  }
}
