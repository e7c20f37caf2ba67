import Testing

@testable import VaultModel

@Suite("Match")
struct MatchTests {
  @Test("any accepts everything, unset only the unset value, equals its value")
  func words() throws {
    let host = try HostName("a")
    for match in [Match<String>.any] { #expect(match.accepts("") && match.accepts("a")) }
    for match in [Match<String>.unset, .equals("")] {
      #expect(match.accepts("") && !match.accepts("a") && !match.accepts("\0"))
    }
    #expect(Match.equals("a").accepts("a"))
    #expect(!Match.equals("a").accepts("A") && !Match.equals("a").accepts(""))
    #expect(!Match.equals("caf\u{E9}").accepts("cafe\u{301}"))

    for match in [Match<UInt16>.unset, .equals(0)] {
      #expect(match.accepts(0) && !match.accepts(80))
    }
    #expect(Match<UInt16>.equals(80).accepts(80) && !Match<UInt16>.equals(80).accepts(0))
    for match in [Match<UInt32>.unset, .equals(0)] {
      #expect(match.accepts(0) && !match.accepts(1))
    }
    for match in [Match<Bool>.unset, .equals(false)] {
      #expect(match.accepts(false) && !match.accepts(true))
    }
    #expect(Match<Bool>.equals(true).accepts(true) && !Match<Bool>.equals(true).accepts(false))
    for match in [Match<HostName>.unset, .equals(.unset)] {
      #expect(match.accepts(.unset) && !match.accepts(host))
    }
    for match in [Match<NetworkProtocol>.unset, .equals(.unset)] {
      #expect(match.accepts(.unset) && !match.accepts(.http))
    }
    for match in [Match<AuthenticationMethod>.unset, .equals(.unset)] {
      #expect(match.accepts(.unset) && !match.accepts(.default))
    }
    #expect(!Match.equals(AuthenticationMethod.default).accepts(.unset))
  }

  @Test("matches are equal if they ask the same in the same words")
  func equality() {
    #expect(Match<String>.any == .any && Match<String>.unset == .unset)
    #expect(Match<String>.any != .unset && Match.equals("a") != .any)
    #expect(Match.equals("a") == .equals("a") && Match.equals("a") != .equals("b"))
    #expect(Match.equals("caf\u{E9}") != .equals("cafe\u{301}"))
    #expect(Match<UInt16>.equals(1) == .equals(1) && Match<UInt16>.equals(1) != .equals(2))
  }
}
