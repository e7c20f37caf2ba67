import CVaultSystem
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

/// Making and removing folders, also those of processes that were killed.
///
/// Each process has its folder locked (flock(2)), which the kernel ends with the process: a folder
/// that can be locked is abandoned.
extension MemoryFolder {
  private static let prefix = "vaultctl-edit-"

  /// Makes a folder and locks it; nil if the parent cannot be written.
  static func make(in parent: String) -> (path: String, lock: Int32)? {
    for _ in 0..<8 {
      var template = Array("\(parent)/\(prefix)XXXXXX".utf8CString)
      // The text ends with NUL, and is ours to change.
      guard unsafe mkdtemp(&template) != nil else { return nil }
      let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
      // Another process may have taken the new folder for an abandoned one.
      if let lock = locked(path) { return (path, lock) }
      unsafe rmdir(path)
    }
    return nil
  }

  /// Removes the folders of this user that no process has locked.
  static func removeAbandoned(in parent: String) {
    for name in entries(of: parent) where name.hasPrefix(prefix) {
      guard let lock = locked("\(parent)/\(name)") else { continue }
      remove("\(parent)/\(name)")
      close(lock)
    }
  }

  /// Wipes and removes a folder with all that is in it.
  static func remove(_ path: String) {
    empty(path)
    // The path is copied into a string that ends with NUL for the call. Another process may also
    // have removed it while nobody had locked it.
    if unsafe rmdir(path) != 0, errno != ENOENT {
      Messages.warning("cannot remove \(path), which an editor left files in")
    }
  }

  private static func empty(_ path: String) {
    for name in entries(of: path) {
      let entry = "\(path)/\(name)"
      var facts = stat()
      // The structure is ours, and the path a C string during the calls.
      guard unsafe lstat(entry, &facts) == 0 else { continue }
      if facts.st_mode & S_IFMT == S_IFDIR {
        empty(entry)
        unsafe rmdir(entry)
      } else {
        wipe(entry)
      }
    }
  }

  /// Locks a folder of this user's; nil if another process has it locked, or it is gone.
  private static func locked(_ path: String) -> Int32? {
    // As above.
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    var facts = stat()
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, unsafe fstat(descriptor, &facts) == 0,
      facts.st_uid == geteuid(), facts.st_nlink > 0
    else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  private static func entries(of path: String) -> [String] {
    // The path is copied for the call; the stream is closed below and used by nobody else.
    guard let folder = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
      // An entry's name ends with NUL, inside the structure.
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
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
