import VaultModel

/// A challenge as it is parsed, before it is interpreted.
struct ChallengeDraft {
  /// A challenge, or the reason why there is none.
  enum Reading {
    case challenge(Challenge)
    case malformed(String)
  }

  private static let longestScheme = 64
  private static let mostParameters = 32
  // Less than half a field: the challenge is written again with quotes and escapes, and must then
  // be short enough to be read.
  private static let longestInAll = 16384

  /// The scheme as written; empty if there is none.
  private(set) var scheme = ""
  private(set) var token = ""
  private(set) var parameters: [UnansweredChallenge.Parameter] = []
  private var size = 0
  /// The first problem that was found; nil if there is none.
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

  /// Records a problem; only the first one is kept.
  mutating func fail(_ reason: String) {
    if problem == nil { problem = reason }
  }

  /// Reads the part that follows the scheme without a comma: the token68, or the first parameter.
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

  /// Adds a parameter, within the limits.
  mutating func add(_ name: String, _ value: String) {
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
    // RFC 9110 §11.2: each name once. With two realms, the one that is meant is unknown.
    guard self.value(of: name) == nil else {
      fail("a parameter twice")
      return
    }
    parameters.append(UnansweredChallenge.Parameter(name: name, value: value))
  }

  /// Returns the value of a parameter; nil if there is none.
  func value(of name: String) -> String? {
    parameters.first { $0.name == name }?.value
  }

  /// Returns whether a parameter is `true`, in any case.
  func isTrue(_ name: String) -> Bool {
    value(of: name)?.hasSameBytesIgnoringCase(as: "true") == true
  }

  /// Whether the only defined charset is named; others are ignored.
  var isUTF8: Bool {
    value(of: "charset")?.hasSameBytesIgnoringCase(as: "utf-8") == true
  }
}
