import HTTPAuthentication
import HTTPChallenge
import SecureMemory
import TestSupport
import Testing
import VaultModel

/// One Digest exchange whose result is known from another source.
struct DigestVector: Sendable, CustomTestStringConvertible {
  let name: String
  var challenge: String
  var user = "Mufasa"
  var password = "Circle of Life"
  var clientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
  var count: UInt32 = 1
  var method = "GET"
  var uri = "/dir/index.html"
  var body: [UInt8]?
  /// The nonce that the server named for this request, after that of the challenge.
  var nextNonce: String?
  /// The `response` that is sent.
  let response: String
  /// The `rspauth` that the server sends.
  let proof: String

  var testDescription: String { name }

  func answer() throws -> DigestResponse {
    let challenge = try digestChallenge(self.challenge)
    return try DigestResponse(
      to: challenge, nonce: nextNonce ?? challenge.nonce, clientNonce: clientNonce, count: count,
      sessionNonce: challenge.nonce,
      credential: Credential(user: user, secret: Secret(password), persistence: .none),
      method: method, uri: uri, body: body)
  }

  /// RFC 7616 §3.9.1, with the name of the algorithm left out.
  static let rfc7616 = """
    Digest realm="http-auth@example.org", qop="auth, auth-int", \
    nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", \
    opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS", algorithm=
    """

  /// RFC 7616 §3.9.2.
  static let userHash = """
    Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, \
    nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", \
    opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true
    """

  /// RFC 7616 §3.9.1 as printed, §3.9.2 as erratum 4897 corrects it, and forms that no RFC has an
  /// example of.
  ///
  /// Values that are printed nowhere, which is every `rspauth`, were computed by Python's
  /// `hashlib`.
  static let all = [
    DigestVector(
      name: "MD5", challenge: rfc7616 + "MD5", response: "8ca523f5e9506fed4657c9700eebdbec",
      proof: "9b712497bc9f91499fbcca1dfc5f09a5"),
    DigestVector(
      name: "SHA-256", challenge: rfc7616 + "SHA-256",
      response: "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1",
      proof: "86d3b25618d41854ca5039a5d7e53ff6355d5134a9b1fb088a78ac3c462195a0"),
    DigestVector(
      name: "SHA-512-256 and userhash", challenge: userHash, user: "J\u{E4}s\u{F8}n Doe",
      password: "Secret, or not?",
      clientNonce: "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v", uri: "/doe.json",
      response: "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5",
      proof: "2a14c644cc564038709393846dc914772273b178abe03a2fb02c9684116bbc2d"),
    DigestVector(
      name: "MD5-sess", challenge: rfc7616 + "MD5-sess",
      response: "e783283f46242139c486a698fec7211d", proof: "b9bdf5673282d64412df46ad40660539"),
    DigestVector(
      name: "SHA-256-sess", challenge: rfc7616 + "SHA-256-sess",
      response: "2fd51b3a77ad75bad6afad6003e818d767133c46d9e2749e7f5232ae1ea3efd7",
      proof: "d4ad609d150eafce2281da5c3179878fdb37e6a16021272f4bed1a082f5c2324"),
    DigestVector(
      name: "SHA-512-256", challenge: rfc7616 + "SHA-512-256",
      response: "430d05014cecc49cab6fbe03176d41a1da86cbfe24a16580e22aaad928d960d0",
      proof: "c8f9593a4f49b95ce2c483cc3222ecd360a5c6ec52ca24a530b0aac18478de8c"),
    DigestVector(
      name: "SHA-512-256-sess", challenge: rfc7616 + "SHA-512-256-sess",
      response: "3f2a34f923c38b0fb26dce2fdfc2ce326c23cecf86fbb1444f3e51fbbc2cb92e",
      proof: "98012a4e63fae2aea13adaa3410368ef7278c87ca0acbd3c941ca5fe3dceeb86"),
    DigestVector(
      name: "SHA-256-sess, and the nonce that nextnonce named",
      challenge: rfc7616 + "SHA-256-sess", nextNonce: "next",
      response: "7cd72319fac9ebd5e69582b8298e4769d9f4c1633c2e2d06b914a9d3ca5a8e78",
      proof: "26decee9444f2025c23e6e8d5dbb169354b652ade817f6c9d82f425f12227518"),
    DigestVector(
      name: "RFC 2069",
      challenge: """
        Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", \
        opaque="5ccc069c403ebaf9f0171e9517e40e41"
        """, password: "CircleOfLife", response: "1949323746fe6a43ef61f9606e7febea",
      proof: "123cde1ca5cf91bf86e872d42002bea9"),
    DigestVector(
      name: "escapes, no password, a high count",
      challenge: #"""
        Digest realm="say \"hi\" \\ there", nonce="n\"once", qop=auth, algorithm=sha-256
        """#, user: #"a"b\c"#, password: "", clientNonce: "c", count: 0xFEDC_BA98, method: "PUT",
      uri: #"/x?"y""#,
      response: "b3a422b2bfbd21f1c547f65666640ff1f1491c2bcddb94e7fdca73067598a7fe",
      proof: "98331c21816128a0f5e8211b51bc68db595668767c01cd9a27d5df4f25b17dc9"),
  ]
}

extension DigestVector {
  /// Responses that cover a body, whose proofs cover another that is not at hand.
  static let ofBodies = [
    ("MD5", [], "35ec75c6389a8fd8412c13222b3affe8"),
    ("MD5", Array("a=1&b=".utf8) + [0xFF], "c7060ca6b9ab7b82b24d0dc548f6660d"),
    ("SHA-256", [], "322f218d701da7c7ef51e3ba6fa2551a2bf36425e1218fc1508c6bf65cbd4448"),
    (
      "SHA-256", Array("a=1&b=".utf8) + [0xFF],
      "2176e9987b53f9896e0f74ed2b500e36a31c349bf1bf86134c28a472a9844e4b"
    ),
  ].map { (name: String, body: [UInt8], response: String) in
    DigestVector(
      name: "\(name) over \(body.count) bytes",
      challenge: rfc7616.replacing("auth, auth-int", with: "auth-int") + name, method: "POST",
      body: body, response: response, proof: "")
  }
}

/// Returns the one Digest challenge of a field.
func digestChallenge(_ field: String) throws -> DigestChallenge {
  guard case .digest(let challenge)? = ChallengeList([field]).challenges.first else {
    throw VaultError(.invalidData, "no Digest challenge in a test's field")
  }
  return challenge
}

extension DigestResponse {
  /// The field's value, which contains no password.
  var text: String { String(decoding: value.array, as: UTF8.self) }

  /// Returns a parameter of the field's value as it is written, with its quotes.
  func parameter(_ name: String) -> String? {
    text.dropFirst("Digest ".count).split(separator: ", ").lazy
      .map { $0.split(separator: "=", maxSplits: 1) }
      .first { $0.first.map(String.init) == name }.map { String($0[1]) }
  }
}
