import Glibc
import VaultModel

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
    // The path is copied into a string that ends with NUL for the call.
    if unsafe rmdir(path) != 0 {
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
