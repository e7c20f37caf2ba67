import CVaultSystem
import VaultTerminal
import Glibc
import SecureMemory
import VaultModel
import VaultStore

/// Decrypts files with gpg, which writes the text to a pipe.
struct GnuPG {
  /// Whether gpg's agent may prompt for the passphrase of its key.
  private let mayPrompt: Bool

  init(mayPrompt: Bool) {
    self.mayPrompt = mayPrompt
  }

  /// Returns the text of a file.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if gpg cannot be run;
  ///   ``VaultError/Code/invalidData`` if it fails, after it has said why on standard error, or if
  ///   the file is empty or cut; ``VaultError/Code/tooLarge`` above 1 MiB.
  func decrypt(_ path: String) throws(VaultError) -> Secret {
    var words = ["gpg", "--quiet", "--batch", "--yes", "--no-verbose", "--decrypt"]
    if !mayPrompt { words.insert("--pinentry-mode=error", at: 1) }
    // In memory first: of a text that is too long, gpg would say that its pipe is broken.
    let messages = vaultctl_memory_file()
    guard messages >= 0 else {
      throw VaultError(.unavailable, "gpg's messages", underlying: .errno(errno))
    }
    defer { close(messages) }
    // A path that begins with a hyphen is not an option.
    let (status, text) = try ChildProcess.run(
      words + ["--", path], errors: .descriptor(messages))
    Self.show(messages)
    // Of a file that is cut short, gpg may give nothing and report success.
    guard status == 0, text.count > 0 else {
      throw VaultError(
        .invalidData, status == 0 ? "gpg finds nothing in it" : "gpg cannot decrypt it")
    }
    return text
  }

  /// Copies what gpg has said to standard error.
  private static func show(_ messages: Int32) {
    do throws(VaultError) {
      guard lseek(messages, 0, SEEK_SET) == 0 else { return }
      let text = try SecretInput.readAll(from: messages)
      try text.withRawBytes { (bytes) throws(VaultError) in
        try Descriptor.write(bytes, to: STDERR_FILENO)
      }
    } catch {
      // Failing to show a message stops nothing.
      return
    }
  }
}
