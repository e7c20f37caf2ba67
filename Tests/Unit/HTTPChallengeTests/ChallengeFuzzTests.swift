import HTTPChallenge
import TestSupport
import Testing
import VaultModel

@Suite("Challenges, generated") struct ChallengeFuzzTests {
  private static let pieces: [UInt8] =
    Array(" \t,=\"\\;:/abcXYZ019-._~+!#%&'()<>?@[]{}|^`\u{E9}\u{1F511}".utf8)
    + [0, 10, 13, 0x1B, 0x7F, 0x80, 0xFF]

  private static func text(
    _ random: inout SplitMix, _ alphabet: String, _ lengths: ClosedRange<Int>
  ) -> String {
    let characters = Array(alphabet)
    return String(
      (0..<Int.random(in: lengths, using: &random)).map { _ in
        characters[Int.random(in: characters.indices, using: &random)]
      })
  }

  private static let quotable = "ab CD,=\"\\;:/\t'()<>?@[]{}\u{E9}e\u{301}\u{1F511}"
  private static let token = "abcXYZ019-._~+!#%&'*^`|"

  private static func challenge(_ random: inout SplitMix) -> Challenge {
    switch Int.random(in: 0..<3, using: &random) {
    case 0:
      return .basic(
        BasicChallenge(realm: text(&random, quotable, 0...20), isUTF8: .random(using: &random)))
    case 1:
      let algorithms = [
        "MD5", "SHA-256", "SHA-512-256", "MD5-sess", "SHA-256-sess", "SHA-512-256-sess",
      ]
      let algorithm =
        algorithms.randomElement(using: &random).flatMap(DigestAlgorithm.init(name:)) ?? .md5
      let qop = Int.random(in: algorithm.isSession ? 1...2 : 0...2, using: &random)
      let domain = (0..<Int.random(in: 0...3, using: &random)).map { _ in
        text(&random, "ab/:\"\\,\u{E9}", 1...9)
      }
      return .digest(
        DigestChallenge(
          realm: text(&random, quotable, 0...20), nonce: text(&random, quotable, 1...40),
          opaque: .random(using: &random) ? nil : text(&random, quotable, 0...20),
          algorithm: algorithm == .md5 && .random(using: &random) ? nil : algorithm,
          algorithmName: .random(using: &random) ? algorithm.name.lowercased() : nil,
          offersAuth: qop == 1, requiresIntegrity: qop == 2,
          domain: domain, isStale: .random(using: &random),
          offersUserHash: .random(using: &random), isUTF8: .random(using: &random)))
    default:
      let scheme = ["bearer", "ntlm", "negotiate", text(&random, token, 1...64).lowercased()]
      let method = AuthenticationMethod(rawValue: scheme.randomElement(using: &random) ?? "x")
      let names = Set(
        (0..<Int.random(in: 0...5, using: &random)).map { _ in
          text(&random, token, 1...9).lowercased()
        })
      if method != .bearer, names.isEmpty || Bool.random(using: &random) {
        let digits = text(&random, "abcXYZ019-._~+/", 1...40)
        let token = .random(using: &random) ? "" : digits + text(&random, "=", 0...2)
        return method.isBoundToConnection
          ? .connection(ConnectionChallenge(method: method, token: token))
          : .unanswered(UnansweredChallenge(method: method, token: token))
      }
      let parameters = names.sorted().map {
        UnansweredChallenge.Parameter(name: $0, value: text(&random, quotable, 0...20))
      }
      return method == .bearer
        ? .bearer(BearerChallenge(parameters: parameters))
        : .unanswered(UnansweredChallenge(method: method, parameters: parameters))
    }
  }

  /// Checks that everything that was read is written as something that reads the same, and is
  /// clean.
  private func check(_ list: ChallengeList, of field: @autoclosure () -> String) {
    for challenge in list.challenges {
      let written = challenge.fieldValue
      let again = ChallengeList([written])
      #expect(again.challenges == [challenge], "\(field().debugDescription)")
      #expect(again.challenges.first?.summary.utf8.elementsEqual(challenge.summary.utf8) == true)
      #expect(again.skipped.isEmpty, "\(field().debugDescription)")
      #expect(again.challenges.first?.fieldValue.utf8.elementsEqual(written.utf8) == true)
    }
    for skipped in list.skipped {
      #expect(!skipped.reason.isEmpty)
      #expect((skipped.scheme + skipped.reason).utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
      #expect(skipped.scheme.utf8.count <= 64)
    }
    #expect(list.challenges.count + list.skipped.count <= ChallengeList.mostChallenges + 1)
  }

  @Test("what is written reads the same, alone and in one field with others")
  func written() {
    var random = SplitMix(seed: 9110)
    for _ in 0..<1500 {
      let challenges = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        Self.challenge(&random)
      }
      let list = ChallengeList([challenges.map(\.fieldValue).joined(separator: " , ")])
      #expect(list.challenges == challenges)
      #expect(list.skipped.isEmpty)
      check(list, of: challenges.map(\.fieldValue).joined(separator: " , "))
    }
  }

  @Test("whatever bytes are changed, nothing traps, and what reads still writes and reads the same")
  func mutated() {
    var random = SplitMix(seed: 7616)
    var read = 0
    var skipped = 0
    for _ in 0..<4000 {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes += Array((Self.challenge(&random).fieldValue + ", ").utf8)
      }
      for _ in 0..<Int.random(in: 1...6, using: &random) { Self.mutate(&bytes, &random) }
      let field = String(decoding: bytes, as: UTF8.self)
      let list = ChallengeList([field])
      read += list.challenges.count
      skipped += list.skipped.count
      check(list, of: field)
      _ = AuthenticationInfo([field])
    }
    #expect(read > 1000)
    #expect(skipped > 1000)
  }

  private static func mutate(_ bytes: inout [UInt8], _ random: inout SplitMix) {
    let place = Int.random(in: 0...bytes.count, using: &random)
    let piece = pieces.randomElement(using: &random) ?? 0
    switch Int.random(in: 0..<6, using: &random) {
    case 0: bytes.insert(piece, at: place)
    case 1 where place < bytes.count: bytes[place] = piece
    case 2 where place < bytes.count: bytes.remove(at: place)
    case 3: bytes = Array(bytes[..<place])
    case 4: bytes += bytes[place...]
    case 5 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
    default: break
    }
  }

  @Test("a control character in a challenge that was not read does not end the written field")
  func controls() {
    let challenge = Challenge.basic(BasicChallenge(realm: "a\r\nb\0\u{7F}"))
    #expect(challenge.fieldValue == "Basic realm=\"a  b  \"")
  }
}
