import HTTPChallenge
import Testing
import VaultModel

@Suite("ChallengeList's limits") struct ChallengeLimitTests {
  private func reasons(_ fields: [String]) -> [String] {
    ChallengeList(fields).skipped.map(\.reason)
  }

  @Test("a field of 65536 bytes is read, a longer one is not, and others are")
  func field() {
    let longest = "Foo " + String(repeating: "a", count: 65536 - 4)
    let list = ChallengeList([longest, longest + "a", "Bar"])
    #expect(list.challenges.map(\.method.rawValue) == ["foo", "bar"])
    #expect(list.skipped.map(\.reason) == ["field longer than 65536 bytes"])
  }

  @Test("32 challenges are read, skipped ones included, and one word says that there were more")
  func challenges() {
    let names = (0..<40).map { "s\($0)" }
    let exact = ChallengeList([names.prefix(32).joined(separator: ",")])
    #expect(exact.challenges.count == 32)
    #expect(exact.skipped.isEmpty)
    let list = ChallengeList(["Basic a", names.joined(separator: ","), "Basic realm=a", "\0"])
    #expect(list.challenges.map(\.method.rawValue) == Array(names.prefix(31)))
    #expect(
      list.skipped.map(\.reason) == ["a token in place of parameters", "more than 32 challenges"])
  }

  @Test("a value of 4096 bytes is read, a longer one is not; escapes do not count")
  func parameter() {
    let text = String(repeating: "x", count: 4096)
    for value in [text, "\"\(text)\"", "\"\\x\(text.dropFirst())\""] {
      #expect(ChallengeList(["Basic realm=\(value)"]).challenges.first?.realm == text)
    }
    let reason = "a parameter longer than 4096 bytes"
    #expect(reasons(["Basic realm=\(text)x"]) == [reason])
    #expect(reasons(["Basic realm=\"\(text)x\", Foo"]) == [reason])
  }

  @Test("32 parameters and 16384 bytes of them are read, more are not")
  func parameters() {
    func field(_ count: Int, _ length: Int) -> String {
      let value = String(repeating: "x", count: length)
      return "Foo " + (0..<count).map { "\($0 + 10)=\(value)" }.joined(separator: ",")
    }
    #expect(reasons([field(32, 510)]) == [])
    #expect(reasons([field(33, 1)]) == ["too many parameters"])
    #expect(reasons([field(32, 511)]) == ["too many parameters"])
  }

  @Test("a scheme of 64 characters is read, a longer one is not")
  func scheme() {
    let longest = String(repeating: "s", count: 64)
    #expect(ChallengeList([longest]).challenges.count == 1)
    let list = ChallengeList([longest + "s realm=a, Foo"])
    #expect(list.challenges.map(\.method.rawValue) == ["foo"])
    #expect(
      list.skipped == [SkippedChallenge(scheme: "", reason: "scheme longer than 64 characters")])
  }
}
