import Glibc
import SecureMemory
import VaultStore
import VaultModel
import VaultTerminal

/// A file for secrets that only its owner can read and that is replaced atomically.
enum OutputFile {
  /// Replaces a file, or the target of a symbolic link, in one step.
  ///
  /// - Parameters:
  ///   - path: The file, which may be missing.
  ///   - pieces: Its new content.
  ///   - others: Files that must not be replaced: the vaults and the sources of the content.
  /// - Throws: ``VaultError/Code/cannotCreate`` if it is not a file, one of the others, or in a
  ///   folder that cannot be written; ``VaultError/Code/inputOutput`` if the content cannot be
  ///   written. The file is then as it was.
  static func replace(
    _ path: String, with pieces: [Secret], sparing others: [String]
  ) throws(VaultError) {
    let target = try target(path, sparing: others)
    let draft = try draft(for: target)
    do throws(VaultError) {
      try draft.fill { (descriptor) throws(VaultError) in
        for piece in pieces {
          try piece.withRawBytes { bytes throws(VaultError) in
            try Descriptor.write(bytes, to: descriptor)
          }
        }
      }
      try draft.replace(target)
    } catch {
      throw error.preceded(by: "--output")
    }
  }

  private static func draft(for target: String) throws(VaultError) -> Draft {
    do throws(VaultError) {
      return try Draft(for: VaultPath(target), .anywhere)
    } catch {
      throw VaultError(.cannotCreate, "--output", underlying: error.underlying ?? .errno(ENOENT))
    }
  }

  /// Returns the path to replace: that of the file behind symbolic links.
  private static func target(
    _ path: String, sparing others: [String]
  ) throws(VaultError) -> String {
    guard !path.isEmpty else { throw VaultError(.invalidArgument, "--output: empty") }
    guard !path.hasSuffix("-journal") else {
      throw VaultError(.cannotCreate, "--output: a journal beside a vault would become part of it")
    }
    // The kind of file only: a missing file and a dangling link have none.
    guard let place = Place(path) else { return path }
    guard place.isFile else { throw VaultError(.cannotCreate, "--output: it is no file") }
    guard !others.compactMap(Place.init).contains(place), !isOfVault(path) else {
      throw VaultError(
        .cannotCreate, "--output: it is the vault, its key or the template, and stays as it is")
    }
    // realpath gives a string of its own, freed here.
    guard let resolved = unsafe realpath(path, nil) else { return path }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }

  /// Returns whether a file begins as a vault or a key file does.
  private static func isOfVault(_ path: String) -> Bool {
    // The path is copied for the call.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    let starts = ["SQLite format 3\0", "vltkey1\n", "dmx0a2V5MQ"].map { Array($0.utf8) }
    // No start is longer than the 16 bytes of the array, which ends the read.
    var head = [UInt8](repeating: 0, count: 16)
    let count = unsafe read(descriptor, &head, head.count)
    return count > 0 && starts.contains { head.prefix(count).starts(with: $0) }
  }

  /// The identity of a file on its disk, whatever its names are.
  private struct Place: Equatable {
    let device: dev_t
    let number: ino_t
    let isFile: Bool

    init?(_ path: String) {
      var status = stat()
      // The path is copied for the call, and the structure is ours.
      guard unsafe stat(path, &status) == 0 else { return nil }
      device = status.st_dev
      number = status.st_ino
      isFile = status.st_mode & S_IFMT == S_IFREG
    }
  }
}
