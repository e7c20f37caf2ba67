import CProcess
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
  /// The file that is edited.
  var file: String { path + "/item" }

  /// Creates the folder in `$XDG_RUNTIME_DIR`, or else in `/dev/shm`.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if neither is in memory: nothing that may hold a
  ///   secret is written to a disk.
  init() throws(VaultError) {
    for parent in [Environment.value("XDG_RUNTIME_DIR"), "/dev/shm"].compactMap(\.self) {
      var template = Array((parent + "/vaultctl-XXXXXX").utf8CString)
      // Both texts end with NUL, and the second is ours to change.
      guard unsafe vaultctl_is_in_memory(parent) == 1, unsafe mkdtemp(&template) != nil else {
        continue
      }
      path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      return
    }
    throw VaultError(
      .unavailable, "neither XDG_RUNTIME_DIR nor /dev/shm is in memory, so nothing can be edited")
  }

  deinit { Self.remove(path) }

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

  /// Wipes and removes the files of the folder, and the folder.
  private static func remove(_ path: String) {
    // The name is copied for the call; the stream is closed below and used by nobody else.
    guard let folder = unsafe opendir(path) else { return }
    while let entry = unsafe readdir(folder) {
      // An entry's name ends with NUL, inside the structure.
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { wipe(path + "/" + name) }
    }
    unsafe closedir(folder)
    // As above.
    if unsafe rmdir(path) != 0 {
      Messages.warning("cannot remove \(path), which an editor left files in")
    }
  }

  private static func wipe(_ file: String) {
    // The name is copied for each call, and the structure is ours.
    let descriptor = unsafe open(file, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    if descriptor >= 0 {
      var facts = stat()
      var left = unsafe fstat(descriptor, &facts) == 0 ? Int(facts.st_size) : 0
      let zeros = [UInt8](repeating: 0, count: 4096)
      while left > 0 {
        // No more than the zeros are written.
        let count = unsafe Glibc.write(descriptor, zeros, min(left, zeros.count))
        guard count > 0 else { break }
        left -= count
      }
      close(descriptor)
    }
    unsafe unlink(file)
  }
}
