/// Text from outside made harmless for a terminal.
package enum Printable {
  /// The text with control and formatting characters as `\u{…}`.
  ///
  /// A realm or a path from a server could otherwise send commands to the terminal that shows it, or let the line read
  /// otherwise than it is.
  package static func text(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: isControl) else { return text }
    return text.unicodeScalars.map { isControl($0) ? escaped($0) : String($0) }.joined()
  }

  /// The text in quotation marks, which it cannot end itself, and cut where it is too long for a line.
  package static func quoted(_ text: String, longest: Int = 120) -> String {
    let kept = text.unicodeScalars.prefix(longest).map { scalar in
      scalar == "\"" || scalar == "\\"
        ? "\\\(scalar)" : isControl(scalar) ? escaped(scalar) : String(scalar)
    }
    return "\"\(kept.joined())\"" + (text.unicodeScalars.count > longest ? "…" : "")
  }

  /// C0, DEL and C1; what is not seen, or changes the direction of what follows; ends of lines.
  package static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x7F { return scalar.value < 0x20 }
    return switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    "\\u{\(String(scalar.value, radix: 16))}"
  }
}
