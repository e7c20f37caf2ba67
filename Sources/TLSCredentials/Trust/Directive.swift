import SecureMemory
import VaultModel

/// A directive of a `Public-Key-Pins` field (RFC 7469 §2.1): a name, and a value or none.
struct Directive {
  /// The name in lower case.
  let name: String
  /// The value without quotation marks; empty if there is none.
  let value: Substring

  /// Reads the directives of a text; curl's `sha256//…` is a `pin-sha256`.
  static func read(_ text: String) -> [Directive] {
    text.split(separator: ";").map { part in
      let part = part.trimmingBlanks
      if part.hasPrefix("sha256//") {
        return Directive(name: "pin-sha256", value: part.dropFirst("sha256//".count))
      }
      let pair = part.split(separator: "=", maxSplits: 1)
      return Directive(
        name: pair.first?.trimmingBlanks.lowercased() ?? "",
        value: (pair.count == 2 ? pair[1] : "").trimmingBlanks.unquoted)
    }
  }
}

extension Fingerprint {
  /// The hash as curl's option for pins has it: `sha256//…`.
  var pin: String { "sha256//\(base64)" }

  /// Reads a hash that is written in Base64.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` unless it is that of 32 bytes.
  init(base64 text: some StringProtocol) throws(VaultError) {
    guard text.utf8.count == 44,
      let bytes = Base64.bytes(of: Secret(String(text)), isCanonical: false), bytes.count == 32
    else { throw VaultError(.invalidData, "pins: not the Base64 of a SHA-256") }
    self.init(unchecked: bytes.public)
  }
}

extension Substring {
  /// The text without blanks at either end.
  fileprivate var trimmingBlanks: Substring {
    var text = self
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return text
  }

  /// The text without the quotation marks around it.
  fileprivate var unquoted: Substring {
    count >= 2 && first == "\"" && last == "\"" ? dropFirst().dropLast() : self
  }
}
