import Glibc
import VaultModel

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

/// Text from outside made harmless for a terminal.
enum Printable {
  /// The text with control characters as `\u{…}`: a realm or a path from a server could otherwise
  /// send commands to the terminal that shows it.
  static func text(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      if isControl(scalar) {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// C0, DEL and C1, and the characters that change the direction of what follows.
  static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
