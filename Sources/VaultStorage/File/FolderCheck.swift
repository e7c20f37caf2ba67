import Glibc
import SecureMemory
package import VaultModel

/// Who could put another file or folder in the place of what a path names.
///
/// Looks at each folder in which a part of the path is looked up, those that symbolic links lead through too: who can write
/// one can rename what is in it. With the sticky bit, as `/tmp` has it, only a file's owner can.
package enum FolderCheck {
  /// Refuses a path with a folder that everybody can write, unless it is trusted.
  ///
  /// - Throws: ``VaultError/Code/unsafePermissions``, with what helps.
  package static func run(on path: String) throws(VaultError) {
    try visit(path) { (folder, information) throws(VaultError) in
      guard isShared(information, by: 0o002), !TrustedFolders.contains(folder) else { return }
      throw VaultError(
        .unsafePermissions,
        "everybody can write the folder \(folder), and so put another file in the place of \(path);"
          + " chmod o-w it, or trust it: VAULTCTL_TRUSTED_FOLDERS=\(folder)")
    }
  }

  /// The folders above a file that a group can write, or that are trusted although everybody can.
  package static func shared(above path: String) -> [String] {
    var folders: [String] = []
    visit(path) { (folder, information) in
      if isShared(information, by: 0o022), !folders.contains(folder) { folders.append(folder) }
    }
    return folders
  }

  private static func isShared(_ information: stat, by bits: mode_t) -> Bool {
    information.st_mode & bits != 0 && information.st_mode & S_ISVTX == 0
  }

  /// As many links as the kernel follows in one path.
  ///
  /// Source: path_resolution(7).
  private static let mostLinks = 40

  /// Visits each folder on the way to a path, as far as it can be followed.
  ///
  /// Where it cannot, nothing is there to be opened either, or it is a pipe below `/proc`.
  private static func visit<E: Error>(
    _ path: String, _ body: (_ folder: String, stat) throws(E) -> Void
  ) throws(E) {
    var folder = "/"
    var rest = parts(of: path.hasPrefix("/") ? path : workingFolder() + "/" + path)
    var links = 0
    guard var information = information(folder) else { return }
    while let name = rest.popLast() {
      if name == ".." {
        folder = folder.lastIndex(of: "/").map { String(folder[..<$0]) } ?? ""
        if folder.isEmpty { folder = "/" }
        guard let above = self.information(folder) else { return }
        information = above
        continue
      }
      try body(folder, information)
      let next = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
      guard let found = self.information(next) else { return }
      if found.isSymbolicLink {
        links += 1
        guard links <= mostLinks, let target = target(of: next) else { return }
        rest += parts(of: target)
        guard target.hasPrefix("/") else { continue }
        folder = "/"
        guard let root = self.information(folder) else { return }
        information = root
      } else {
        guard found.isFolder else { return }
        (folder, information) = (next, found)
      }
    }
  }

  /// The names in a path that lead somewhere, the last one first.
  private static func parts(of path: String) -> [Substring] {
    path.split(separator: "/").filter { $0 != "." }.reversed()
  }

  private static func information(_ path: String) -> stat? {
    var information = stat()
    // The structure is ours, and the path a C string for the call.
    return unsafe lstat(path, &information) == 0 ? information : nil
  }

  private static func target(of link: String) -> String? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      guard let start = buffer.baseAddress else { return -1 }
      // The path is a C string for the call, and no more than the buffer is written.
      return unsafe readlink(link, start.assumingMemoryBound(to: CChar.self), buffer.count)
    }
    return count > 0 ? String(validating: bytes[..<count], as: UTF8.self) : nil
  }

  static func workingFolder() -> String {
    guard let folder = unsafe getcwd(nil, 0) else { return "" }
    // getcwd gave a string of its own, freed here.
    defer { unsafe free(folder) }
    return unsafe String(cString: folder)
  }
}

/// Folders that are taken for safe although others can write them: volumes of containers and folders of CI runners
/// often are so.
package enum TrustedFolders {
  private static let named = Lock<[String]>([])

  /// Trusts a folder for as long as the process lives.
  package static func add(_ folder: String) {
    named.withLock { $0.append(folder) }
  }

  /// Whether a folder, absolute and without symbolic links, was named, here or by `$VAULTCTL_TRUSTED_FOLDERS`.
  ///
  /// The folders in the variable are separated by colons. What is below and above a trusted folder is not trusted.
  static func contains(_ folder: String) -> Bool {
    var candidates = named.withLock { $0 }
    if let value = unsafe getenv("VAULTCTL_TRUSTED_FOLDERS") {
      // The string is copied before anything else touches the environment.
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
