import Glibc
import SecureMemory
import VaultCommands
import VaultModel

/// Files that the command line names.
enum InputFile {
  /// Certificates and keys of one file: 4 MiB at most.
  private static let limit = 4 << 20

  /// Reads a file; a hyphen is standard input.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - name: The option or operand that names it, for errors.
  /// - Returns: The bytes.
  /// - Throws: ``VaultError/Code/missingInput`` if it is not there; ``VaultError/Code/tooLarge``.
  static func read(_ path: String, _ name: String) throws(VaultError) -> Secret {
    guard path != "-" else { return try SecretInput.readAll(from: STDIN_FILENO, limit: limit) }
    // The path is a C string during the call.
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw VaultError(.missingInput, name, underlying: .errno(errno)) }
    defer { close(file) }
    return try SecretInput.readAll(from: file, limit: limit)
  }
}

extension Secret {
  /// The bytes of a file that holds no secrets.
  var bytes: [UInt8] {
    withRawBytes { bytes in
      // The buffer is valid inside the closure, and copied.
      unsafe bytes.withUnsafeBytes { unsafe Array($0) }
    }
  }
}
