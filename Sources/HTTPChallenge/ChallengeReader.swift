import VaultModel

/// A reader that splits fields into challenges.
///
/// - Source: RFC 9110 §11.2 to §11.6.
struct ChallengeReader {
  private(set) var challenges: [Challenge] = []
  private(set) var skipped: [SkippedChallenge] = []
  private var isFull = false

  /// Reads one field; a malformed challenge does not affect the others.
  mutating func read(_ field: String) {
    if let reason = Self.reasonAgainst(field) {
      skip("", reason)
      return
    }
    var scanner = FieldScanner(field)
    var draft: ChallengeDraft?
    while !isFull, scanner.skipSeparators() {
      let word = scanner.token()
      if !word.isEmpty, !scanner.skipEquals() {
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
    finish(draft)
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

  private mutating func finish(_ draft: ChallengeDraft?) {
    guard let draft else { return }
    switch draft.reading() {
    case .challenge(let challenge):
      guard hasRoom() else { return }
      challenges.append(challenge)
    case .malformed(let reason):
      skip(draft.scheme, reason)
    }
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

extension BasicChallenge {
  /// Interprets a challenge's parameters.
  ///
  /// - Source: RFC 7617 §2.
  static func reading(_ draft: ChallengeDraft) -> ChallengeDraft.Reading {
    guard let realm = draft.value(of: "realm") else { return .malformed("no realm") }
    return .challenge(.basic(BasicChallenge(realm: realm, isUTF8: draft.isUTF8)))
  }
}

extension DigestChallenge {
  /// Interprets a challenge's parameters.
  ///
  /// - Source: RFC 7616 §3.3.
  static func reading(_ draft: ChallengeDraft) -> ChallengeDraft.Reading {
    guard let realm = draft.value(of: "realm") else { return .malformed("no realm") }
    guard let nonce = draft.value(of: "nonce"), !nonce.isEmpty else {
      return .malformed("no nonce")
    }
    guard let algorithm = DigestAlgorithm(name: draft.value(of: "algorithm") ?? "MD5") else {
      return .malformed("unknown algorithm")
    }
    let qop = draft.value(of: "qop")
    if let qop, let reason = Self.reasonAgainst(qop) { return .malformed(reason) }
    // RFC 2069 sends no cnonce, without which the server cannot compute a session's key.
    guard qop != nil || !algorithm.isSession else {
      return .malformed("algorithm of a session without qop")
    }
    let domain = (draft.value(of: "domain") ?? "").utf8.split {
      $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t")
    }
    return .challenge(
      .digest(
        DigestChallenge(
          realm: realm, nonce: nonce, opaque: draft.value(of: "opaque"), algorithm: algorithm,
          offersAuth: qop != nil, domain: domain.map { String(Substring($0)) },
          isStale: draft.isTrue("stale"), offersUserHash: draft.isTrue("userhash"),
          isUTF8: draft.isUTF8)))
  }

  /// Returns why a list of qualities of protection is not supported; nil if it includes `auth`.
  private static func reasonAgainst(_ qop: String) -> String? {
    var hasIntegrity = false
    for word in qop.utf8.split(whereSeparator: {
      $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: " ")
    }) {
      let name = String(Substring(word))
      if name.hasSameBytesIgnoringCase(as: "auth") { return nil }
      if name.hasSameBytesIgnoringCase(as: "auth-int") { hasIntegrity = true }
    }
    return hasIntegrity ? "only qop auth-int" : "no known qop"
  }
}
