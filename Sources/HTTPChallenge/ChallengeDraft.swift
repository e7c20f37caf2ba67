import VaultModel

/// A challenge as its words are read, before it is known what they mean.
struct ChallengeDraft {
  /// A challenge, or why there is none.
  enum Reading {
    case challenge(Challenge)
    case malformed(String)
  }

  private static let longestScheme = 64
  private static let mostParameters = 32
  // Less than half a field: what is written again, with quotes and escapes, must be short enough to be read.
  private static let longestInAll = 16384

  /// The scheme as it was written; empty if there is none.
  private(set) var scheme = ""
  private(set) var token = ""
  private(set) var parameters: [UnansweredChallenge.Parameter] = []
  private var size = 0
  /// What is wrong with it; nil as long as nothing is.
  private(set) var problem: String?

  init(scheme: String) {
    guard scheme.utf8.count <= Self.longestScheme else {
      fail("scheme longer than \(Self.longestScheme) characters")
      return
    }
    self.scheme = scheme
  }

  init(problem: String) {
    self.problem = problem
  }

  /// Notes what is wrong; the first counts.
  mutating func fail(_ reason: String) {
    if problem == nil { problem = reason }
  }

  /// Reads what belongs to the scheme without a comma: the token68, or the first parameter.
  mutating func readBeginning(_ scanner: inout FieldScanner) {
    guard scanner.skipBlanks(), !scanner.isAtElementEnd else { return }
    if let token = scanner.token68() {
      self.token = token
      return
    }
    let name = scanner.token()
    guard !name.isEmpty, scanner.skipEquals() else {
      fail("neither a token nor a parameter after the scheme")
      return
    }
    readValue(of: name, &scanner)
  }

  /// Reads the value of a parameter.
  mutating func readValue(of name: String, _ scanner: inout FieldScanner) {
    switch scanner.value(longest: ChallengeList.longestParameter) {
    case .text(let value): add(name.lowercasedASCII, value)
    case .missing: fail("a parameter without a value")
    case .unterminated: fail("unterminated quoted string")
    case .tooLong: fail("a parameter longer than \(ChallengeList.longestParameter) bytes")
    }
  }

  private mutating func add(_ name: String, _ value: String) {
    guard problem == nil else { return }
    size += name.utf8.count + value.utf8.count
    guard parameters.count < Self.mostParameters, size <= Self.longestInAll else {
      fail("too many parameters")
      return
    }
    guard token.isEmpty else {
      fail("a token and a parameter")
      return
    }
    // RFC 9110 §11.2: each name once. Which of two realms is meant cannot be known.
    guard self.value(of: name) == nil else {
      fail("a parameter twice")
      return
    }
    parameters.append(UnansweredChallenge.Parameter(name: name, value: value))
  }

  /// The value of a parameter; nil if it is not there.
  func value(of name: String) -> String? {
    parameters.first { $0.name == name }?.value
  }

  /// Whether a parameter is `true`, in any case.
  func isTrue(_ name: String) -> Bool {
    value(of: name)?.hasSameBytesIgnoringCase(as: "true") == true
  }

  /// Whether the one charset that there is was named; others are passed over.
  var isUTF8: Bool {
    value(of: "charset")?.hasSameBytesIgnoringCase(as: "utf-8") == true
  }

  /// Says what the words mean.
  func reading() -> Reading {
    if let problem { return .malformed(problem) }
    if scheme.hasSameBytesIgnoringCase(as: "basic") { return BasicChallenge.reading(self) }
    if scheme.hasSameBytesIgnoringCase(as: "digest") { return DigestChallenge.reading(self) }
    let method = AuthenticationMethod(rawValue: scheme.lowercasedASCII)
    return .challenge(
      .unanswered(UnansweredChallenge(method: method, token: token, parameters: parameters)))
  }
}
