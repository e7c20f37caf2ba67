import Glibc
import SecureMemory
import VaultCrypto
import VaultFile
public import VaultModel

/// Files that hold a random key, in a small format of their own.
///
/// Source: `Documentation/format.md` §4.2.
public enum KeyFile: Sendable {
  /// Creates a new key file that only its owner can read.
  ///
  /// - Parameter path: Must not exist; its folder must.
  /// - Throws: ``VaultError/Code/cannotCreate`` if it exists or cannot be made or written; a file
  ///   that could not be written whole is removed; ``VaultError/Code/unsafePermissions`` if
  ///   everybody can write a folder above it.
  public static func create(at path: String) throws(VaultError) {
    try FolderCheck.run(on: path)
    let flags = O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC
    let descriptor = unsafe open(path, flags, mode_t(0o600))
    guard descriptor >= 0 else {
      throw VaultError(.cannotCreate, "\(path) cannot be created", underlying: .errno(errno))
    }
    defer { close(descriptor) }
    let bytes = VaultCrypto.KeyFile().encoded()
    let written = bytes.withRawBytes { bytes in
      // The span has as many bytes as are written.
      unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    }
    guard fchmod(descriptor, 0o600) == 0, written == bytes.count, fsync(descriptor) == 0 else {
      let number = errno
      unsafe unlink(path)
      throw VaultError(.cannotCreate, "\(path) cannot be written", underlying: .errno(number))
    }
    // Without this, a power cut could leave a vault whose key file has no directory entry.
    try VaultPath(path).synchronizeFolder()
  }

  /// Returns whether a file exists at a path.
  public static func isPresent(at path: String) -> Bool {
    unsafe access(path, F_OK) == 0
  }
}
