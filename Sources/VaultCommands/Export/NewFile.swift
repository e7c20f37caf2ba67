import Glibc
import VaultStore
package import VaultModel
import VaultTerminal

/// A file that gets its name once it is whole, and never takes the place of another.
///
/// It has mode 0600 and, until then, no name: a program that is killed leaves nothing. Only on file
/// systems that have no such files it is a draft beside the final name.
package final class NewFile {
  private let path: String
  private let descriptor: Int32
  /// The file that it is meanwhile, if it needs a name.
  private let draft: Draft?

  /// - Throws: ``VaultError/Code/cannotCreate`` if the path exists, or no file can be created
  ///   there.
  package init(_ path: String) throws(VaultError) {
    self.path = path
    // The path is a C string during the call, and the structure is ours. A link to nowhere exists.
    var status = stat()
    guard unsafe lstat(path, &status) != 0 else {
      throw VaultError(.cannotCreate, "\(path) exists")
    }
    guard errno == ENOENT else {
      throw VaultError(.cannotCreate, path, underlying: .errno(errno))
    }
    let folder = Self.folder(of: path)
    // The path is a C string during each call.
    let unnamed = unsafe open(folder, Self.unnamed | O_WRONLY | O_CLOEXEC, 0o600)
    if unnamed >= 0 {
      (descriptor, draft) = (unnamed, nil)
      return
    }
    guard [EOPNOTSUPP, EISDIR, EINVAL].contains(errno) else {
      throw VaultError(.cannotCreate, path, underlying: .errno(errno))
    }
    let draft: Draft
    do throws(VaultError) {
      draft = try Draft(for: VaultPath(path), .anywhere)
    } catch {
      throw VaultError(.cannotCreate, path, underlying: error.underlying)
    }
    // The path is a C string during the call.
    let named = unsafe open(draft.path.path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
    guard named >= 0 else {
      throw VaultError(.cannotCreate, path, underlying: .errno(errno))
    }
    (descriptor, self.draft) = (named, draft)
  }

  deinit {
    // A file without a name is gone when it is closed.
    close(descriptor)
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

  /// Writes text, as ``write(_:)`` writes bytes.
  func write(_ text: String) throws(VaultError) {
    // Every bit pattern of a byte is valid as a raw one.
    try write(unsafe Array(text.utf8).span.bytes)
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
    let source = draft?.path.path ?? "/proc/self/fd/\(descriptor)"
    // The paths are C strings during the call.
    let status = unsafe linkat(
      AT_FDCWD, source, AT_FDCWD, path, draft == nil ? AT_SYMLINK_FOLLOW : 0)
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

extension Invocation {
  /// Creates the file that a command is to write in place of standard output.
  ///
  /// - Parameters:
  ///   - path: The path that was given.
  ///   - secrets: What must not show on a terminal, unless `--stdout` says so; nil for nothing.
  /// - Returns: The file; nil for standard output.
  /// - Throws: ``VaultError/Code/invalidArgument`` if both, or neither, can be meant; as
  ///   ``NewFile/init(_:)``.
  package func newFile(
    _ path: String?, holding secrets: String?
  ) throws(VaultError) -> NewFile? {
    if let path {
      guard !arguments.has(.stdout) else {
        throw VaultError(.invalidArgument, "FILE and --stdout exclude each other")
      }
      return try NewFile(path)
    }
    guard !isJSON else {
      throw VaultError(
        .invalidArgument, "--json needs FILE, because standard output has the export")
    }
    if let secrets, output.isTerminal, !arguments.has(.stdout) {
      throw VaultError(
        .invalidArgument, "\(secrets) would show on the terminal: name FILE, or use --stdout")
    }
    return nil
  }
}
