import Glibc
import VaultModel
import VaultTerminal

/// What goes to standard error: `vaultctl: error: …`, `vaultctl: hint: …`, in lower case.
///
/// A failure to write there has nowhere to be reported.
enum Messages {
  static func error(_ error: VaultError) {
    write("vaultctl: error: \(text(of: error))")
  }

  static func warning(_ text: String) {
    write("vaultctl: warning: \(text)")
  }

  static func hint(_ text: String) {
    write("vaultctl: hint: \(text)")
  }

  /// The items that an error is about, one a line.
  static func candidates(of error: VaultError) {
    for item in error.candidates { write("  " + ItemText.line(item)) }
  }

  /// The cause in words; the same for people and in JSON.
  static func text(of error: VaultError) -> String {
    let cause = error.context.isEmpty ? error.code.description : error.context
    switch error.underlying {
    case .errno(let number):
      let reason = reason(number)
      return cause.hasSuffix(reason) ? cause : "\(cause): \(reason)"
    case .sqlite(let number): return "\(cause) (sqlite \(number))"
    case nil: return cause
    }
  }

  /// The system's words for an error number.
  private static func reason(_ number: Int32) -> String {
    // The result is a NUL-terminated string that is copied before the next call can change it.
    guard let words = unsafe strerror(number) else { return "error \(number)" }
    return unsafe String(cString: words)
  }

  private static func write(_ line: String) {
    do throws(VaultError) {
      try Descriptor.write(Printable.text(line) + "\n", to: STDERR_FILENO)
    } catch {
      return
    }
  }
}
