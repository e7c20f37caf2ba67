import Glibc
package import VaultModel
import VaultTerminal

/// A file that gets its name once it is whole, and never takes the place of another.
///
/// It has mode 0600 and, until then, no name: a program that is killed leaves nothing. Only on file
/// systems that have no such files it has a name of its own beside the final one.
package final class NewFile {
  private let path: String
  private let descriptor: Int32
  /// The name that it has meanwhile, if it needs one.
  private let temporary: String?

  /// - Throws: ``VaultError/Code/cannotCreate`` if the path exists, or no file can be created
  ///   there.
  package init(_ path: String) throws(VaultError) {
    self.path = path
    // The path is a C string during the call.
    let status = unsafe access(path, F_OK)
    guard status != 0 else { throw VaultError(.cannotCreate, "\(path) exists") }
    guard errno == ENOENT else {
      throw VaultError(.cannotCreate, path, underlying: .errno(errno))
    }
    let folder = Self.folder(of: path)
    // The path is a C string during each call.
    let unnamed = unsafe open(folder, Self.unnamed | O_WRONLY | O_CLOEXEC, 0o600)
    if unnamed >= 0 {
      (descriptor, temporary) = (unnamed, nil)
      return
    }
    guard [EOPNOTSUPP, EISDIR, EINVAL].contains(errno) else {
      throw VaultError(.cannotCreate, path, underlying: .errno(errno))
    }
    var generator = SystemRandomNumberGenerator()
    let name = "\(folder)/.vaultctl-export-\(String(generator.next(), radix: 36))"
    // The path is a C string during the call.
    let named = unsafe open(name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard named >= 0 else {
      throw VaultError(.cannotCreate, path, underlying: .errno(errno))
    }
    (descriptor, temporary) = (named, name)
  }

  deinit {
    // A file without a name is gone when it is closed.
    close(descriptor)
    // The path is a C string during the call.
    if let temporary { unsafe unlink(temporary) }
  }

  /// Writes bytes at the end.
  ///
  /// - Throws: ``VaultError/Code/inputOutput``, for example if the disk is full.
  package func write(_ bytes: RawSpan) throws(VaultError) {
    do throws(VaultError) {
      try Descriptor.write(bytes, to: descriptor)
    } catch {
      throw VaultError(error.code, "cannot write \(path)", underlying: error.underlying)
    }
  }

  /// Makes the file durable and gives it its name.
  ///
  /// - Throws: ``VaultError/Code/cannotCreate`` if there is a file of that name meanwhile;
  ///   ``VaultError/Code/inputOutput`` if it cannot be made durable.
  package func publish() throws(VaultError) {
    guard fsync(descriptor) == 0 else {
      throw VaultError(.inputOutput, "cannot write \(path)", underlying: .errno(errno))
    }
    // Unlike a rename, a link never replaces what has the name.
    let source = temporary ?? "/proc/self/fd/\(descriptor)"
    // The paths are C strings during the call.
    let status = unsafe linkat(
      AT_FDCWD, source, AT_FDCWD, path, temporary == nil ? AT_SYMLINK_FOLLOW : 0)
    guard status == 0 else {
      throw errno == EEXIST
        ? VaultError(.cannotCreate, "\(path) exists")
        : VaultError(.cannotCreate, path, underlying: .errno(errno))
    }
    // The path is a C string during the call.
    let folder = unsafe open(Self.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    defer { close(folder) }
    // The file itself is durable; some file systems cannot sync a folder.
    _ = fsync(folder)
  }

  /// `O_TMPFILE`, a macro that Swift does not import.
  private static let unnamed = 0o20_000_000 | O_DIRECTORY

  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
