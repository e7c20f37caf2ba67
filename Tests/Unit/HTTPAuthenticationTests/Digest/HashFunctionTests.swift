import HTTPChallenge
import TestSupport
import Testing
import VaultModel
@testable import HTTPAuthentication

@Suite("HashFunction") struct HashFunctionTests {
  @Test(
    "hashes follow each other in one context",
    arguments: [
      (
        DigestAlgorithm.Hash.md5, "900150983cd24fb0d6963f7d28e17f72",
        "d41d8cd98f00b204e9800998ecf8427e"
      ),
      (
        .sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
      ),
      (
        .sha512_256, "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23",
        "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"
      ),
    ])
  func hashes(_ hash: DigestAlgorithm.Hash, _ abc: String, _ none: String) throws {
    let hashing = try HashContext(hash)
    try hashing.add("a")
    try hashing.add("bc")
    #expect(try String(decoding: hashing.finish(), as: UTF8.self) == abc)
    #expect(try String(decoding: hashing.finish(), as: UTF8.self) == none)
    try hashing.add("abc")
    #expect(try String(decoding: hashing.finishSecretly().array, as: UTF8.self) == abc)
  }

  @Test("a hash that no provider has, as MD5 in FIPS mode, is unsupported")
  func missing() {
    #expect(HashFunction(name: "MD5", properties: "fips=yes") == nil)
    #expect(HashFunction(name: "no such hash") == nil)
    #expect(throws: VaultError(.unsupported, "")) { try HashFunction.required(nil, .md5) }
  }

  @Test("many threads hash at once")
  func threads() {
    let right = "900150983cd24fb0d6963f7d28e17f72"
    inThreads(8) { _ in
      for _ in 0..<50 {
        let text = try? Self.hash("abc")
        #expect(text == right)
      }
    }
  }

  private static func hash(_ text: String) throws -> String {
    let hashing = try HashContext(.md5)
    try hashing.add(text)
    return try String(decoding: hashing.finish(), as: UTF8.self)
  }

  @Test("a digit is written as C writes it")
  func digits() {
    let digits = (UInt8(0)..<16).map(Hexadecimal.digit)
    #expect(String(decoding: digits, as: UTF8.self) == "0123456789abcdef")
    #expect(Hexadecimal.digits(0x0123_ABCD) == "0123abcd")
  }
}

@Suite("ClientNonce") struct ClientNonceTests {
  @Test("a client nonce is 32 hexadecimal digits, and none comes twice")
  func nonces() throws {
    var seen: Set<String> = []
    for _ in 0..<1000 {
      let nonce = try ClientNonce.make()
      #expect(nonce.utf8.count == 32)
      #expect(nonce.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) })
      #expect(seen.insert(nonce).inserted)
    }
    // Each digit varies.
    for place in 0..<32 { #expect(Set(seen.map { Array($0.utf8)[place] }).count == 16) }
  }
}

@Suite("DigestAlgorithm") struct DigestAlgorithmTests {
  private static let names = [
    "MD5-sess", "MD5", "SHA-256-sess", "SHA-256", "SHA-512-256-sess", "SHA-512-256",
  ]

  @Test("names are read in any case, and others are not known")
  func names() throws {
    for name in Self.names {
      for spelling in [name, name.lowercased(), name.uppercased()] {
        #expect(DigestAlgorithm(name: spelling)?.name == name)
      }
    }
    for name in ["", "SHA-512", "SHA256", "MD5 ", "SHA-1", "token", "MD5-SES\u{17F}"] {
      #expect(DigestAlgorithm(name: name) == nil)
    }
  }

  @Test("the stronger hash is greater, and of one hash the plain algorithm")
  func order() {
    let algorithms = Self.names.compactMap(DigestAlgorithm.init(name:))
    #expect(algorithms == algorithms.sorted())
    #expect(algorithms.count == 6)
    #expect(Set(algorithms).count == 6)
  }
}
