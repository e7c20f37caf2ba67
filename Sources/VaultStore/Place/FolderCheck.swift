import Glibc
import SecureMemory
package import VaultModel

/// The users who could replace the file or a folder of a path.
///
/// Each folder in which a part of the path is looked up is checked, including those of symbolic
/// links: a user who can write to a folder can rename its entries. With the sticky bit, as on
/// `/tmp`, only a file's owner can.
package enum FolderCheck {
  /// Rejects a path with a folder that everybody can write, unless it is trusted.
  ///
  /// - Throws: ``VaultError/Code/unsafePermissions``, with a remedy; also if the path leads through
  ///   a name that is not UTF-8, behind which nothing can be checked.
  package static func run(on path: String) throws(VaultError) {
    let unknown = try visit(path) { (folder, information) throws(VaultError) in
      guard isShared(information, by: 0o002), !TrustedFolders.contains(folder) else { return }
      throw VaultError(
        .unsafePermissions,
        "everybody can write the folder \(folder), and so put another file in the place of \(path)"
      ).about(.access(.removeWriteAccess(path: folder, from: .others)))
    }
    guard let unknown else { return }
    throw VaultError(
      .unsafePermissions,
      "\(unknown) is not UTF-8, so it cannot be told who can put another file in the place of \(path)"
    )
  }

  /// Returns the folders above a file that a group can write, or that are trusted although
  /// everybody can write them.
  package static func shared(above path: String) -> [String] {
    folders(above: path) { isShared($0, by: 0o022) }
  }

  /// Returns the folders above a file that another user owns, who can rename whatever is in them;
  /// root can anyway.
  package static func foreign(above path: String) -> [String] {
    folders(above: path) { $0.owner != 0 && $0.owner != geteuid() }
  }

  private static func folders(
    above path: String, where isMeant: (FileStatus) -> Bool
  ) -> [String] {
    var folders: [String] = []
    visit(path) { (folder, information) in
      if isMeant(information), !folders.contains(folder) { folders.append(folder) }
    }
    return folders
  }

  private static func isShared(_ information: FileStatus, by bits: UInt32) -> Bool {
    information.mode & bits != 0 && !information.isSticky
  }

  /// The number of links that the kernel follows in one path.
  ///
  /// Source: path_resolution(7).
  private static let mostLinks = 40

  /// Visits each folder on a path, as far as the path can be followed.
  ///
  /// If it cannot be followed, there is no file to open either, or it is a pipe below `/proc`.
  ///
  /// - Returns: The name that is not UTF-8, and so could not be followed although it may exist.
  @discardableResult
  private static func visit<E: Error>(
    _ path: String, _ body: (_ folder: String, FileStatus) throws(E) -> Void
  ) throws(E) -> String? {
    var folder = "/"
    guard let path = absolute(path) else { return "the working folder" }
    var rest = parts(of: path)
    var links = 0
    guard var information = FileStatus(at: folder) else { return nil }
    while let name = rest.popLast() {
      if name == ".." {
        folder = folder.lastIndex(of: "/").map { String(folder[..<$0]) } ?? ""
        if folder.isEmpty { folder = "/" }
        guard let above = FileStatus(at: folder) else { return nil }
        information = above
        continue
      }
      try body(folder, information)
      let next = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
      guard let found = FileStatus(at: next) else { return nil }
      if found.isSymbolicLink {
        links += 1
        guard links <= mostLinks, let bytes = target(of: next) else { return nil }
        guard let target = String(validating: bytes, as: UTF8.self) else {
          return "the target of the link \(next)"
        }
        rest += parts(of: target)
        guard target.hasPrefix("/") else { continue }
        folder = "/"
        guard let root = FileStatus(at: folder) else { return nil }
        information = root
      } else {
        guard found.isFolder else { return nil }
        (folder, information) = (next, found)
      }
    }
    return nil
  }

  /// Returns the significant names in a path, the last one first.
  private static func parts(of path: String) -> [Substring] {
    path.utf8.split(separator: UInt8(ascii: "/")).map(Substring.init).filter { $0 != "." }
      .reversed()
  }

  private static func target(of link: String) -> ArraySlice<UInt8>? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      guard let start = buffer.baseAddress else { return -1 }
      // The path is a C string for the call, and no more than the buffer is written.
      return unsafe readlink(link, start.assumingMemoryBound(to: CChar.self), buffer.count)
    }
    return count > 0 ? bytes[..<count] : nil
  }

  /// Returns an absolute path; nil if the path is relative and the working folder has no name in
  /// UTF-8.
  static func absolute(_ path: String) -> String? {
    guard !path.hasPrefix("/") else { return path }
    guard let folder = unsafe getcwd(nil, 0) else { return "/" + path }
    // getcwd gave a string of its own, freed here.
    defer { unsafe free(folder) }
    return unsafe String(validatingCString: folder).map { "\($0)/\(path)" }
  }
}

/// Folders that are trusted although others can write them, as often needed for volumes of
/// containers and folders of CI runners.
package enum TrustedFolders {
  private static let named = Lock<[String]>([])

  /// Trusts a folder for the lifetime of the process.
  package static func add(_ folder: String) {
    named.withLock { $0.append(folder) }
  }

  /// Returns whether a folder, absolute and without symbolic links, was named here or in
  /// `$VAULTCTL_TRUSTED_FOLDERS`.
  ///
  /// The folders in the variable are separated by colons. Folders below and above a trusted folder
  /// are not trusted.
  package static func contains(_ folder: String) -> Bool {
    var candidates = named.withLock { $0 }
    if let value = unsafe getenv("VAULTCTL_TRUSTED_FOLDERS") {
      // The string is copied at once. If another thread removes a variable meanwhile, this one may
      // be missed, and its folders are not trusted.
      candidates += unsafe String(cString: value).split(separator: ":").map(String.init)
    }
    return candidates.contains { candidate in
      guard let resolved = unsafe realpath(candidate, nil) else { return false }
      // realpath gave a string of its own, freed here.
      defer { unsafe free(resolved) }
      return unsafe strcmp(resolved, folder) == 0
    }
  }
}
