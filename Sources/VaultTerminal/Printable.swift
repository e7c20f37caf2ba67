import VaultModel

/// Text from outside made harmless for a terminal.
package enum Printable {
  /// Returns the text with control and formatting characters as `\u{…}`.
  ///
  /// A realm or a path from a server could otherwise send commands to the terminal that shows it,
  /// or make the line look different from what it is.
  package static func text(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: \.isUnprintable) else { return text }
    return text.unicodeScalars.map { $0.isUnprintable ? $0.byNumber : String($0) }.joined()
  }

  /// Returns the text in quotation marks, which it cannot close itself, cut if it is too long for a
  /// line.
  ///
  /// Control and formatting characters are kept, for ``text(_:)``.
  package static func quoted(_ text: String, longest: Int = 120) -> String {
    let quoted = cut(text, to: longest).unicodeScalars.map { scalar in
      scalar == "\"" || scalar == "\\" ? "\\\(scalar)" : String(scalar)
    }
    return "\"\(quoted.joined())\""
  }

  /// Returns the beginning of a text, followed by … if it was cut.
  package static func cut(_ text: String, to longest: Int) -> String {
    guard text.unicodeScalars.count > longest else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.prefix(longest))) + "…"
  }
}
