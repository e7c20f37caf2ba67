import Glibc
public import VaultModel
import VaultTerminal

/// Messages on standard error: `vaultctl: error: …`, `vaultctl: hint: …`, in lower case.
///
/// A failure to write them cannot be reported.
enum Messages {
  static func error(_ error: VaultError) {
    write("vaultctl: error: \(error.text)")
  }

  static func warning(_ text: String) {
    write("vaultctl: warning: \(text)")
  }

  static func hint(_ text: String) {
    write("vaultctl: hint: \(text)")
  }

  /// Writes the items that an error is about, one a line.
  static func candidates(of error: VaultError) {
    for item in error.candidates { write("  " + ItemText.line(item)) }
  }

  private static func write(_ line: String) {
    do throws(VaultError) {
      try Descriptor.write(Printable.text(line) + "\n", to: STDERR_FILENO)
    } catch {
      return
    }
  }
}

/// Messages beside an answer: they follow everything written before, since both may go to one
/// terminal.
extension Invocation {
  /// Writes a warning.
  ///
  /// - Throws: ``VaultError/Code/inputOutput`` if the buffered output cannot be written to standard
  ///   output.
  public func warn(_ text: String) throws(VaultError) {
    try output.flush()
    Messages.warning(text)
  }

  /// Writes the next step to try.
  ///
  /// - Throws: As ``warn(_:)``.
  public func hint(_ text: String) throws(VaultError) {
    try output.flush()
    Messages.hint(text)
  }
}

extension Invocation {
  /// Says on a terminal that a list is empty; elsewhere it is empty.
  package func sayEmpty(_ text: String = "there is nothing to list") throws(VaultError) {
    if output.isTerminal, !isQuiet, !isJSON { try hint(text) }
  }
}
