import VaultModel

/// A reader that splits fields into challenges.
///
/// - Source: RFC 9110 §11.2 to §11.6.
struct ChallengeReader {
  private(set) var challenges: [Challenge] = []
  private(set) var skipped: [SkippedChallenge] = []
  private var isFull = false

  /// Reads one field; a malformed challenge does not affect the others.
  ///
  /// If it is the only one of its field, it is read again as browsers read it.
  mutating func read(_ field: String) {
    if let reason = Self.reasonAgainst(field) {
      skip("", reason)
      return
    }
    var scanner = FieldScanner(field)
    var draft: ChallengeDraft?
    var isOnly = true
    while !isFull, scanner.skipSeparators() {
      let word = scanner.token()
      if !word.isEmpty, !scanner.skipEquals() {
        isOnly = draft == nil
        finish(draft)
        draft = ChallengeDraft(scheme: word)
        draft?.readBeginning(&scanner)
      } else if draft == nil {
        draft = ChallengeDraft(problem: "no scheme")
      } else if word.isEmpty {
        draft?.fail("neither a scheme nor a parameter")
      } else {
        draft?.readValue(of: word, &scanner)
      }
      scanner.skipBlanks()
      if !scanner.isAtElementEnd {
        draft?.fail("no comma where one belongs")
        scanner.skipElement()
      }
    }
    finish(draft, elseReadLeniently: isOnly ? field : nil)
  }

  /// Returns why a field is not read at all; nil if it is.
  static func reasonAgainst(_ field: String) -> String? {
    guard field.utf8.count <= ChallengeList.longestField else {
      return "field longer than \(ChallengeList.longestField) bytes"
    }
    // Iterating over the span is several times as fast as over the text.
    let bytes = field.utf8.span
    for index in bytes.indices where bytes[index].isControl && bytes[index] != UInt8(ascii: "\t") {
      return "control character in the field"
    }
    return nil
  }

  private mutating func finish(_ draft: ChallengeDraft?, elseReadLeniently field: String? = nil) {
    guard let draft else { return }
    switch draft.reading() {
    case .challenge(let challenge): add(challenge)
    case .malformed(let reason):
      if let field, case .challenge(let challenge) = ChallengeDraft(lenient: field).reading() {
        add(challenge)
      } else {
        skip(draft.scheme, reason)
      }
    }
  }

  private mutating func add(_ challenge: Challenge) {
    guard hasRoom() else { return }
    challenges.append(challenge)
  }

  private mutating func skip(_ scheme: String, _ reason: String) {
    guard hasRoom() else { return }
    skipped.append(SkippedChallenge(scheme: scheme, reason: reason))
  }

  /// Returns whether there is room for one more; the first that does not fit is recorded.
  private mutating func hasRoom() -> Bool {
    guard challenges.count + skipped.count >= ChallengeList.mostChallenges else { return true }
    if !isFull {
      let reason = "more than \(ChallengeList.mostChallenges) challenges"
      skipped.append(SkippedChallenge(scheme: "", reason: reason))
    }
    isFull = true
    return false
  }
}
