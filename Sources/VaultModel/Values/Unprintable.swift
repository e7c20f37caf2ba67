extension Unicode.Scalar {
  /// Whether it is C0, DEL or C1, is invisible, changes text direction, or ends a line.
  package var isUnprintable: Bool {
    if value < 0x7F { return value < 0x20 }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }

  /// The scalar by its number: `\u{1b}`.
  package var byNumber: String { "\\u{\(String(value, radix: 16))}" }
}

extension String {
  /// The text with quotes, control and formatting characters escaped, for a line that people read.
  package var escaped: String {
    unicodeScalars.map { scalar in
      if scalar.isUnprintable { return scalar.byNumber }
      return scalar == "\"" || scalar == "\\" ? "\\\(scalar)" : String(scalar)
    }.joined()
  }
}
