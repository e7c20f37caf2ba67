import Glibc
import VaultModel
import VaultTerminal

/// The file that lists rejected entries: a place and a reason each, without a secret.
///
/// It is created before anything is imported: without it, nothing is imported.
final class RejectFile {
  private let path: String
  private var descriptor: Int32

  /// Creates the file with mode 0600; a dry run only checks that it does not exist.
  ///
  /// - Throws: ``VaultError/Code/cannotCreate`` if the file exists or cannot be created.
  init(_ path: String, isDryRun: Bool) throws(VaultError) {
    self.path = path
    guard !isDryRun else {
      var status = stat()
      // The path is copied into a string that ends with NUL, and the structure is ours.
      guard unsafe lstat(path, &status) != 0 else {
        throw VaultError(.cannotCreate, "--reject-file", underlying: .errno(EEXIST))
      }
      descriptor = -1
      return
    }
    // As above.
    descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw VaultError(.cannotCreate, "--reject-file", underlying: .errno(errno))
    }
  }

  /// Writes a line, in which control characters are escaped.
  func write(_ line: String) throws(VaultError) {
    guard descriptor >= 0 else { return }
    try Descriptor.write(Printable.text(line) + "\n", to: descriptor)
  }

  /// Closes the file.
  ///
  /// - Throws: ``VaultError/Code/inputOutput`` if the system reports only now that it is not
  ///   whole.
  func close() throws(VaultError) {
    guard descriptor >= 0 else { return }
    let closed = descriptor
    descriptor = -1
    guard Glibc.close(closed) == 0 || errno == EINTR else {
      throw VaultError(.inputOutput, "--reject-file", underlying: .errno(errno))
    }
  }

  /// Removes the file: nothing was rejected, or nothing was imported.
  func remove() {
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    descriptor = -1
    // The path is copied into a string that ends with NUL.
    _ = unsafe unlink(path)
  }

  deinit { if descriptor >= 0 { Glibc.close(descriptor) } }
}
