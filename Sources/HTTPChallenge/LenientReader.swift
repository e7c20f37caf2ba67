import VaultModel

/// Reading a malformed field as browsers do, if it can only mean one challenge of one realm.
///
/// | the field has | it is read as |
/// |---|---|
/// | no comma, or a semicolon, between two parameters | two parameters |
/// | blanks in a value without quotes | all words of the value |
/// | a semicolon at the end of a value without quotes | the value without it |
/// | a parameter without a value | a field without it |
/// | the same parameter twice | the first |
/// | a quote that nothing ends | the text to the end of the field |
/// | quotes in a realm in quotes, as nginx writes them | the text to the quote that a separator follows |
///
/// Nothing is read of a field with a second scheme, a second realm, or text that may be either, nor
/// of schemes that have a token in place of parameters.
extension ChallengeDraft {
  /// Reads a whole field; afterwards ``problem`` says why it may mean something else.
  init(lenient field: String) {
    var scanner = FieldScanner(field)
    guard scanner.skipSeparators() else {
      self.init(problem: "no scheme")
      return
    }
    self.init(scheme: scanner.token())
    let method = AuthenticationMethod(rawValue: scheme.lowercasedASCII)
    guard method.strength > 0, !method.isBoundToConnection else {
      fail("not a scheme with a realm")
      return
    }
    if !scanner.isAtElementEnd, !scanner.skipBlanks() { fail("no scheme") }
    while problem == nil, scanner.skipLenientSeparators() {
      let name = scanner.token()
      guard !name.isEmpty, scanner.skipEquals() else {
        fail("more than one scheme")
        return
      }
      readLeniently(name.lowercasedASCII, &scanner)
    }
  }

  private mutating func readLeniently(_ name: String, _ scanner: inout FieldScanner) {
    let isRealm = name.hasSameBytes(as: "realm")
    switch scanner.lenientValue(longest: ChallengeList.longestParameter, mayHoldQuotes: isRealm) {
    case .quoted(.text(let value)): addFirst(name, value)
    case .quoted: fail("a parameter longer than \(ChallengeList.longestParameter) bytes")
    case .open(let value):
      guard !Self.mayHoldParameter(value) else { return fail("unterminated quoted string") }
      addFirst(name, value)
    case .holdingQuotes(let value):
      guard !Self.mayHoldParameter(value),
        !Self.words(of: value).contains(where: Self.isKnownScheme)
      else { return fail("more than one scheme") }
      addFirst(name, value)
    case .words(let value):
      guard !Self.words(of: value).dropFirst().contains(where: Self.isKnownScheme) else {
        return fail("more than one scheme")
      }
      if !value.isEmpty || isRealm { addFirst(name, value) }
    case .ambiguous: fail("more than one scheme")
    }
  }

  /// Adds a parameter unless there is one of that name; a second realm must be the same.
  private mutating func addFirst(_ name: String, _ value: String) {
    guard value.utf8.count <= ChallengeList.longestParameter else {
      return fail("a parameter longer than \(ChallengeList.longestParameter) bytes")
    }
    guard let first = self.value(of: name) else { return add(name, value) }
    if name.hasSameBytes(as: "realm"), !first.hasSameBytes(as: value) { fail("two realms") }
  }

  /// Returns the words of a text, which blanks and quotes separate.
  private static func words(of text: String) -> [String] {
    text.utf8.split { " \t\"".utf8.contains($0) }.map { String(Substring($0)) }
  }

  /// Returns whether a word is never taken for one of a value.
  private static func isKnownScheme(_ word: String) -> Bool {
    AuthenticationMethod(rawValue: word.lowercasedASCII).facts?.scheme != nil
  }

  /// Returns whether a text may contain what follows a value: a comma, or `=` after a blank.
  private static func mayHoldParameter(_ text: String) -> Bool {
    let afterBlank = text.utf8.drop { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
    return text.utf8.contains(UInt8(ascii: ",")) || afterBlank.contains(UInt8(ascii: "="))
  }
}
