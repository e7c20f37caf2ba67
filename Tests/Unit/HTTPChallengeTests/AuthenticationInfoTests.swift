import HTTPChallenge
import Testing

@Suite("AuthenticationInfo") struct AuthenticationInfoTests {
  @Test("what Apache sends is read, in one field or several")
  func apache() {
    let parts = [#"rspauth="ab", cnonce="c""#, #"nc=0000000a, qop=auth, nextnonce="n\"ext=""#]
    for fields in [parts, [parts.joined(separator: ",")]] {
      let info = AuthenticationInfo(fields)
      #expect(info.responseProof == "ab")
      #expect(info.clientNonce == "c")
      #expect(info.count == 10)
      #expect(info.qop == "auth")
      #expect(info.nextNonce == "n\"ext=")
    }
  }

  @Test(
    "a malformed field says nothing at all",
    arguments: [
      "", "x", "Digest rspauth=\"a\", nextnonce=\"b\"", "rspauth=a, rspauth=b, nextnonce=c",
      "nextnonce=a b", "nextnonce=\"a", "nextnonce=\"a\r\n\"", "nextnonce=a, =", "nextnonce=a, b=",
    ])
  func malformed(_ field: String) {
    for fields in [[field], ["qop=auth", field], [field, "qop=auth"]] {
      let info = AuthenticationInfo(fields)
      #expect(info.responseProof == nil)
      #expect(info.nextNonce == nil)
      #expect(field.isEmpty || info.qop == nil)
    }
  }

  @Test("a proof over the body is not one that can be checked")
  func integrity() {
    let info = AuthenticationInfo(["rspauth=\"a\", qop=AUTH-INT, nextnonce=b"])
    #expect(info.responseProof == nil)
    #expect(info.nextNonce == "b")
  }

  @Test("a count that is no hexadecimal number is none", arguments: ["x", "100000000", "-1", "+1"])
  func count(_ text: String) {
    #expect(AuthenticationInfo(["nc=\(text)"]).count == nil)
  }
}
