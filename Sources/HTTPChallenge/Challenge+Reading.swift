import VaultModel

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
