import HTTPChallenge
import TestSupport
import Testing

/// Malformed fields, and those that come close: what can only mean one challenge is read as
/// browsers read it, and nothing is read of what may mean two.
@Suite("Challenges as servers write them") struct LenientChallengeTests {
  /// A field of one challenge, and its realm; after `|` its nonce.
  private static let accepted = #"""
    Basic → ⟨⟩
    basic → ⟨⟩
    Basic , → ⟨⟩
    Basic realm= → ⟨⟩
    Basic realm="" → ⟨⟩
    Basic realm=, charset=utf-8 → ⟨⟩
    Basic charset="UTF-8" → ⟨⟩
    Basic abc= → ⟨⟩
    Basic realm=Team → ⟨Team⟩
    Basic realm=Team Files → ⟨Team Files⟩
    Basic realm=Team  Files → ⟨Team  Files⟩
    Basic realm=Team Files, charset=utf-8 → ⟨Team Files⟩
    Basic realm=The Team's Files; charset=utf-8 → ⟨The Team's Files⟩
    Basic realm='Team Files' → ⟨'Team Files'⟩
    Basic realm=(Team Files) → ⟨(Team Files)⟩
    Basic realm=a/b c/d → ⟨a/b c/d⟩
    Basic realm=Café au lait → ⟨Café au lait⟩
    Basic realm=CORP\files → ⟨CORP\files⟩
    Basic realm=CORP\files on disk → ⟨CORP\files on disk⟩
    Basic realm=Team Files; → ⟨Team Files⟩
    Basic realm="Team"; → ⟨Team⟩
    Basic realm="Team";charset="UTF-8" → ⟨Team⟩
    Basic realm="Team" ; charset="UTF-8" → ⟨Team⟩
    Basic realm="Team", charset= → ⟨Team⟩
    Basic realm="Team", charset=, → ⟨Team⟩
    Basic realm="Team" charset="UTF-8" → ⟨Team⟩
    Basic realm="Team"charset="UTF-8" → ⟨Team⟩
    Basic realm=Team charset=UTF-8 → ⟨Team⟩
    Basic charset=UTF-8 realm="Team" → ⟨Team⟩
    Basic charset="UTF-8" realm=Team Files → ⟨Team Files⟩
    Basic realm="Team", realm="Team" → ⟨Team⟩
    Basic realm="Team" realm="Team" → ⟨Team⟩
    Basic realm="Team", charset=utf-8, charset=latin1 → ⟨Team⟩
    Basic realm="Team → ⟨Team⟩
    Basic realm="Team Files → ⟨Team Files⟩
    Basic realm="Team\ → ⟨Team⟩
    Basic realm="Team\" → ⟨Team"⟩
    Basic charset="utf-8", realm="Team → ⟨Team⟩
    Basic realm="Team", charset="UTF-8 → ⟨Team⟩
    Basic realm="a=b → ⟨a=b⟩
    Basic realm="say "hi"" → ⟨say "hi"⟩
    Basic realm=""hi" they say" → ⟨"hi" they say⟩
    Basic realm="a "quoted" realm" → ⟨a "quoted" realm⟩
    Basic realm="a "quoted" realm", charset="UTF-8" → ⟨a "quoted" realm⟩
    Basic realm="a "quoted" realm" charset="UTF-8" → ⟨a "quoted" realm⟩
    Basic realm="a "quoted" realm"; charset=UTF-8 → ⟨a "quoted" realm⟩
    Basic charset="UTF-8", realm="a "quoted" realm" → ⟨a "quoted" realm⟩
    Basic realm="a \"b "c" d" → ⟨a "b "c" d⟩
    Basic realm="a 21" screen" → ⟨a 21" screen⟩
    Basic realm="""" → ⟨""⟩
    Basic realm="a"B" → ⟨a"B⟩
    Digest realm="a "quoted" realm", nonce="n", qop="auth" → ⟨a "quoted" realm⟩|n
    Digest nonce="n", realm="a "quoted" realm" → ⟨a "quoted" realm⟩|n
    BASIC REALM="Team" → ⟨Team⟩
    Basic realm = Team Files → ⟨Team Files⟩
    Basic	realm=Team	Files → ⟨Team	Files⟩
    , Basic realm=Team Files, → ⟨Team Files⟩
    Digest nonce="n" → ⟨⟩|n
    Digest realm="Team" nonce="n" → ⟨Team⟩|n
    Digest realm="Team"nonce="n" → ⟨Team⟩|n
    Digest realm="Team" nonce="n" algorithm=MD5 qop="auth" → ⟨Team⟩|n
    Digest realm="Team"; nonce="n"; qop="auth" → ⟨Team⟩|n
    Digest realm="Team", nonce="n", algorithm=MD5; → ⟨Team⟩|n
    Digest realm="Team", nonce="n", algorithm=MD5;; → ⟨Team⟩|n
    Digest realm="Team", nonce="n", algorithm=MD5; qop=auth → ⟨Team⟩|n
    Digest realm="Team", nonce="n", qop=auth; → ⟨Team⟩|n
    Digest realm="Team", nonce="n", qop="auth → ⟨Team⟩|n
    Digest realm="Team", nonce="n → ⟨Team⟩|n
    Digest realm="Team", nonce="bm9uY2U= → ⟨Team⟩|bm9uY2U=
    Digest realm="Team", nonce="n", opaque= → ⟨Team⟩|n
    Digest realm="Team", nonce="n", opaque=, qop= → ⟨Team⟩|n
    Digest realm="Team", nonce="n", algorithm= → ⟨Team⟩|n
    Digest realm=, nonce="n" → ⟨⟩|n
    Digest realm="Team", nonce="n", nonce="m" → ⟨Team⟩|n
    Digest realm="Team", realm="Team", nonce="n" → ⟨Team⟩|n
    Digest realm="Team", nonce="n", qop="auth", qop="auth-int" → ⟨Team⟩|n
    Digest realm="Team", nonce="n", stale=false, stale=false → ⟨Team⟩|n
    Digest realm=Team Files, nonce=n → ⟨Team Files⟩|n
    Digest nonce=n, realm=Team Files → ⟨Team Files⟩|n
    Digest nonce=n realm="Team" → ⟨Team⟩|n
    Digest realm=Team nonce=n → ⟨Team⟩|n
    Digest realm="Team", nonce="n", domain="/a /b" qop="auth" → ⟨Team⟩|n
    """#.split(separator: "\n").map(String.init)

  /// Fields that may mean two challenges or two realms, or none, and what is read strictly of them.
  private static let refused = #"""
    Basic realm="A", realm="B" →
    Basic realm="A" realm="B" →
    Basic realm=A realm=B →
    Basic realm=, realm=B →
    Basic realm=A, REALM="B" →
    Basic realm="A" Basic realm="B" →
    Basic realm="A" Digest realm="B", nonce="n" →
    Basic realm=A Digest realm=B, nonce=n →
    Basic realm=A B realm=C →
    Basic realm=A Negotiate →
    Basic realm=A NTLM →
    Basic realm=A Basic →
    Basic realm=Team Files charset=utf-8 →
    Basic realm="A; Basic realm=B →
    Basic realm="A, Basic realm=B →
    Basic realm="A, B →
    Basic realm="A charset=utf-8 →
    Basic realm="A"B →
    Basic realm="A" B →
    Basic realm="A" "B →
    Basic realm="A" Negotiate →
    Basic realm="A" Negotiate " →
    Basic realm="A" Digest "B" →
    Basic realm="a "b", Digest realm="c", nonce="n" →
    Basic realm="a "b" Digest realm="c", nonce="n" →
    Basic realm="a "b", c" →
    Basic realm="a "b, c" d" →
    Basic realm="a "b c="d" e" →
    Basic realm="a "b="c" d" →
    Basic realm="a "b"", realm="c" →
    Basic realm="A"Basic,realm="B" →
    Digest realm="A", nonce="n "m" o" →
    Basic realm=A"B" →
    Basic abc →
    Basic abc def →
    Basic "A" →
    Basic =A →
    Basic: realm="A" →
    Basicrealm="A" →
    Digest realm="A", nonce="n" Basic realm="B" →
    Digest realm="A" nonce="n", Basic realm="B" → ⟨B⟩
    Digest realm="A", nonce="n" realm="B" →
    Digest realm="A", nonce="n", realm="B", nonce="m" →
    Digest realm="A", nonce="n" Digest realm="B", nonce="m" →
    Digest realm="A" nonce="n" Negotiate →
    Digest realm="A", nonce="n", Basic realm=B C, D=e → ⟨A⟩|n
    Digest realm="A", nonce="n, Basic realm="B" →
    Digest realm=A nonce=n, Basic realm=B → ⟨B⟩
    Digest realm="A" →
    Digest realm="A", nonce= →
    Digest realm="A", nonce="n", algorithm=SHA-1; →
    Digest nonce=n realm=A B C=d →
    Negotiate abc def →
    NTLM realm=a b →
    Foo realm=a b →
    realm="A" →
    "A" →
    ; Basic realm="A" →
    """#.split(separator: "\n").map(String.init)

  private func meaning(_ field: String) -> String {
    ChallengeList([field]).challenges.map { challenge in
      if case .digest(let digest) = challenge {
        "⟨\(digest.realm)⟩|\(digest.nonce)"
      } else {
        "⟨\(challenge.realm)⟩"
      }
    }.joined(separator: " ")
  }

  @Test("140 fields written by hand: accepted if they mean one challenge, else not")
  func byHand() {
    let lines = Self.accepted + Self.refused
    #expect(lines.count == 140)
    for line in lines {
      let parts = line.split(separator: "→", omittingEmptySubsequences: false)
      let field = String(parts[0].dropLast())
      #expect(meaning(field) == parts[1].drop { $0 == " " }, "\(field)")
    }
  }

  /// Returns one challenge with this realm and nonce, as a careless server writes it.
  private static func careless(
    _ realm: String, _ nonce: String, _ random: inout SplitMix
  ) -> String {
    let isDigest = Bool.random(using: &random)
    let isLast = Bool.random(using: &random)
    // Words without quotes only where a comma follows: else the last may be a scheme.
    let isPlain = !isLast && Bool.random(using: &random)
    let separators = isPlain ? [", ", ","] : [", ", ",", " ", "; ", ";", "", " , ", ",, "]
    func separator(_ random: inout SplitMix) -> String {
      separators.randomElement(using: &random) ?? ", "
    }
    let name = isPlain ? "realm=\(realm)" : "realm=\"\(realm)\""
    var parameters = ["charset=\"UTF-8\""]
    if isDigest {
      parameters += ["nonce=\"\(nonce)\"", "qop=\"auth\"", "opaque=\"o\"", "qop=\"auth-int\""]
    }
    var field = isDigest ? "Digest " : "Basic "
    if isLast {
      for parameter in parameters { field += parameter + separator(&random) }
      field += "realm=\"\(realm)" + (Bool.random(using: &random) ? "" : "\"")
    } else {
      field += name
      for parameter in parameters { field += separator(&random) + parameter }
      field +=
        ["", ";", ", opaque=", ", realm=\"\(realm)\"", ", nonce=\"again\"", ","]
        .randomElement(using: &random) ?? ""
    }
    return field
  }

  private static let realms = ["Team", "Team Files", "a/b c", "Caf\u{E9} 7", "x", "The Team's"]

  @Test("500 challenges, each carelessly written: one alone is read, two are never mixed")
  func careless() {
    var random = SplitMix(seed: 20)
    for index in 0..<500 {
      let realm = Self.realms.randomElement(using: &random) ?? ""
      let field = Self.careless(realm, "n\(index)", &random)
      let list = ChallengeList([field])
      #expect(list.challenges.count == 1 && list.skipped.isEmpty, "\(field)")
      #expect(list.challenges.first?.realm == realm, "\(field)")
      if case .digest(let digest) = list.challenges.first { #expect(digest.nonce == "n\(index)") }

      // Another after it, and then any byte changed.
      let other = Self.careless("Other", "other", &random)
      let joint = [", ", " ", ",", ""].randomElement(using: &random) ?? ""
      var bytes = Array((field + joint + other).utf8)
      if index % 2 == 1 {
        let place = Int.random(in: bytes.indices, using: &random)
        bytes[place] = Array(" ,;=\"\\ax".utf8).randomElement(using: &random) ?? 0
      }
      let both = String(decoding: bytes, as: UTF8.self)
      for case .digest(let digest) in ChallengeList([both]).challenges {
        let isMixed =
          digest.realm == realm && digest.nonce == "other"
          || digest.realm == "Other" && digest.nonce == "n\(index)"
        #expect(!isMixed, "\(both)")
      }
    }
  }
}
