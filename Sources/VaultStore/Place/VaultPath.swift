import Glibc
package import VaultModel

/// The path of a vault, with checks that it is safe there.
///
/// A file or folder that others can write could be changed or have a journal put beside it. A file
/// that others can read lets them guess passphrases.
package struct VaultPath: Hashable, Sendable {
  /// The absolute path, without symbolic links in its folder.
  package let path: String
  package let folder: String
  /// The absolute path as it was given, for checking each of its folders.
  package let given: String
  /// The name without its folder.
  package var name: String { String(path.dropFirst(folder == "/" ? 1 : folder.count + 1)) }

  /// Resolves a path.
  ///
  /// - Parameter path: Absolute or relative to the working folder.
  /// - Throws: ``VaultError/Code/vaultNotFound`` if the folder does not exist;
  ///   ``VaultError/Code/invalidArgument`` for an empty path, one with NUL, or one that ends with a
  ///   slash.
  package init(_ path: String) throws(VaultError) {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw VaultError(.invalidArgument, "a vault's path is empty or holds NUL")
    }
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let name = slash.map { path[path.utf8.index(after: $0)...] } ?? path[...]
    guard !name.isEmpty, name != ".", name != ".." else { throw Self.noFile(path) }
    let given = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    guard let resolved = unsafe realpath(given, nil) else {
      guard errno != ENOENT else {
        throw VaultError(.vaultNotFound, "the folder \(given) does not exist")
      }
      throw Posix.failure(given)
    }
    // realpath gave a string of its own, freed here.
    folder = unsafe String(cString: resolved)
    unsafe free(resolved)
    self.path = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
    self.given = path.hasPrefix("/") ? path : FolderCheck.absolute(path) ?? path
  }

  /// Returns the path as records of it have it; of one whose folder is gone or out of reach, the
  /// absolute path as it was given.
  package static func withoutChecks(_ path: String) -> String {
    do throws(VaultError) {
      return try VaultPath(path).path
    } catch {
      return FolderCheck.absolute(path) ?? path
    }
  }

  package static func == (one: VaultPath, other: VaultPath) -> Bool { one.path == other.path }

  package func hash(into hasher: inout Hasher) { hasher.combine(path) }

  /// Checks an existing vault's file and folder.
  ///
  /// - Parameter permissions: The owners and the mode that are accepted.
  /// - Returns: The identity of the file.
  /// - Throws: ``VaultError/Code/vaultNotFound``; ``VaultError/Code/notAVault`` for a folder, pipe
  ///   or device; ``VaultError/Code/unsafePermissions`` for a symbolic link, a foreign owner, a
  ///   second name, or a file or folder that others can use.
  package func checkExisting(
    _ permissions: FilePermissions = .own
  ) throws(VaultError) -> FileIdentity {
    let identity = try checkFile(permissions)
    try checkFolder(permissions)
    // The journal of a vault that is only read is its owner's, and is never applied here.
    if permissions == .own, let journal = try Posix.information(path + "-journal") {
      guard SideFiles.isOwn(journal) else { throw SideFiles.isNotOwn(journalOf: path) }
    }
    return identity
  }

  /// Checks an existing vault's file, but nothing around it.
  ///
  /// - Returns: The identity of the file.
  /// - Throws: As ``checkExisting(_:)``.
  package func checkFile(
    _ permissions: FilePermissions = .own
  ) throws(VaultError) -> FileIdentity {
    guard let file = try Posix.information(path) else {
      throw VaultError(.vaultNotFound, "there is no vault at \(path)")
    }
    guard !file.isSymbolicLink else { throw Self.unsafe("\(path) is a symbolic link") }
    guard file.isRegularFile else { throw VaultError(.notAVault, "\(path) is not a file") }
    let mended = permissions.subject(.takeOwnership(path: path, of: .file))
    guard permissions.acceptsOwner(ofFile: file) else {
      throw Self.unsafe("\(path) belongs to another user").about(mended)
    }
    guard permissions.acceptsFile(file) else {
      throw Self.unsafe("\(path) can be used by others").about(mended)
    }
    guard file.linkCount == 1 else { throw Self.unsafe("\(path) has a second name (hard link)") }
    return file.identity
  }

  /// Creates the path of a backup, which may be anywhere and be named by a symbolic link.
  ///
  /// - Throws: ``VaultError/Code/missingInput`` if there is none.
  package init(backup path: String) throws(VaultError) {
    guard let resolved = unsafe realpath(path, nil) else {
      throw Posix.failure(path, errno == ENOENT ? .missingInput : nil).about(.backup)
    }
    // realpath gave a string of its own, freed here.
    defer { unsafe free(resolved) }
    try self.init(unsafe String(cString: resolved))
  }

  /// Returns the identity of the file, if it may be opened for its role.
  func check(_ role: VaultFile.Role) throws(VaultError) -> FileIdentity {
    switch role {
    case .vault, .draft, .onlyRead: return try checkExisting(role.permissions)
    case .backup: return try checkBackup()
    }
  }

  private func checkBackup() throws(VaultError) -> FileIdentity {
    guard let file = try Posix.information(path) else {
      throw VaultError(.missingInput, "there is no backup at \(path)").about(.backup)
    }
    guard file.isRegularFile else { throw VaultError(.notAVault, "\(path) is not a file") }
    return file.identity
  }

  /// Returns whether a journal with contents exists beside the vault.
  package func hasJournal() throws(VaultError) -> Bool {
    try Posix.information(path + "-journal").map { $0.byteCount > 0 } ?? false
  }

  /// Checks the folder of an existing or new vault, and those above it.
  package func checkFolder(_ permissions: FilePermissions = .own) throws(VaultError) {
    guard let folder = try Posix.information(folder) else {
      throw VaultError(.vaultNotFound, "there is no folder \(self.folder)")
    }
    guard folder.isFolder else { throw VaultError(.vaultNotFound, "\(self.folder) is no folder") }
    guard permissions.acceptsOwner(ofFolder: folder) else {
      throw Self.unsafe("the folder \(self.folder) belongs to another user")
        .about(permissions.subject(.takeOwnership(path: self.folder, of: .folder)))
    }
    guard folder.mode & 0o022 == 0 || TrustedFolders.contains(self.folder) else {
      throw Self.unsafe("the folder \(self.folder) can be written by others")
        .about(permissions.subject(.makePrivate(path: self.folder)))
    }
    try FolderCheck.run(on: given)
  }

  /// Returns the error for a file that was opened read-only, with the system's reason.
  func cannotBeWritten() -> VaultError {
    // With the effective user, as when SQLite opened it.
    let isAllowed = unsafe faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0
    return VaultError(
      .readOnly, "\(path) cannot be written", underlying: isAllowed ? nil : .errno(errno))
  }

  /// Returns an error with this file's path, named once.
  package func naming(_ error: VaultError) -> VaultError {
    guard !error.context.hasPrefix(path) else { return error }
    return VaultError(error.code, "\(path): \(error.context)", underlying: error.underlying)
      .about(error.subject)
  }

  /// Makes new entries of the folder durable.
  package func synchronizeFolder() throws(VaultError) {
    try Posix.synchronize(folder: folder)
  }

  /// Creates the folder of a new vault, 0700, with those above it.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for a path that ends with a slash, and so is
  ///   that of a folder; ``VaultError/Code/cannotCreate``.
  package static func makeFolder(of path: String) throws(VaultError) {
    guard !path.hasSuffix("/") else { throw noFile(path) }
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
    let folder = String(path[..<slash])
    if try Posix.information(folder) != nil { return }
    try makeFolder(of: folder)
    guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else {
      throw Posix.failure(folder, .cannotCreate)
    }
  }

  /// Renames a file beside the vault to the name of a file kept by a restore: the vault's, with the
  /// time.
  ///
  /// - Parameters:
  ///   - file: Its current name.
  ///   - suffix: The suffix of the name.
  /// - Returns: The name; another one if that file already exists.
  /// - Throws: ``VaultError/Code/cannotCreate``.
  package func keep(_ file: String, suffix: String = "") throws(VaultError) -> String {
    let name = "\(path).replaced-\(Timestamp.now().compact)"
    var number = 1
    while true {
      let kept = (number == 1 ? name : "\(name)-\(number)") + suffix
      do throws(VaultError) {
        try Posix.publish(file, as: kept)
        return kept
      } catch {
        guard error.code == .vaultExists else { throw error }
        number += 1
      }
    }
  }

  private static func noFile(_ path: String) -> VaultError {
    VaultError(.invalidArgument, "\(path) names no file")
  }

  private static func unsafe(_ context: String) -> VaultError {
    VaultError(.unsafePermissions, context)
  }
}

extension Timestamp {
  /// The time in seconds in the basic form of ISO 8601, for file names: `20260131T235959Z`.
  package var compact: String {
    let second = Timestamp(milliseconds: milliseconds - milliseconds % 1000)
    return second.rfc3339.filter { $0 != "-" && $0 != ":" }
  }
}
