import BusMessages
import CSecretServiceCrypto
import SecureMemory
import Testing
import TestSupport
import VaultModel

@testable import SecretService

@Suite("Sessions of the Secret Service")
struct SessionTests {
  private static let prime: [UInt8] = {
    // libcrypto's own number, copied and freed.
    let number = unsafe BN_get_rfc2409_prime_1024(nil)
    defer { unsafe BN_free(number) }
    var bytes = [UInt8](repeating: 0, count: 128)
    unsafe BN_bn2bin(number, &bytes)
    return bytes
  }()

  @Test("a session is its client's alone, until it is closed or the client leaves")
  func owners() throws {
    let bench = try ServiceFixture()
    let path = try bench.create(["a": "1"])
    let get = { (session: String, sender: String) in
      refusal { () throws(BusError) in
        try bench.call(path, "Item", "GetSecret", .path(session), from: sender)
      }
    }
    let session = try bench.openSession(from: ":1.2")
    #expect(get(session, ":1.2") == nil)
    #expect(get(session, ":1.3") == "NoSession")
    try bench.call(session, "Session", "Close", from: ":1.2")
    #expect(get(session, ":1.2") == "NoSession")
    let other = try bench.openSession(from: ":1.2")
    bench.service.clientLeft(":1.2")
    #expect(get(other, ":1.2") == "NoSession")
  }

  @Test("the sessions of one client are bounded, until it leaves")
  func bounds() throws {
    let bench = try ServiceFixture()
    for _ in 0..<256 { _ = try bench.openSession(from: ":1.2") }
    #expect(
      refusal { () throws(BusError) in _ = try bench.openSession(from: ":1.2") }
        == "LimitsExceeded")
    _ = try bench.openSession(from: ":1.3")
    bench.service.clientLeft(":1.2")
    _ = try bench.openSession(from: ":1.2")
  }

  @Test("a program with many connections takes the place of nobody else, and then its own")
  func shares() throws {
    let bench = try ServiceFixture()
    let friends = try bench.openSession(from: ":9.1")
    var first = ""
    for number in 0..<4094 {
      let client = ":2.\(number / 256)"
      bench.service.clientIs(client, process: 42)
      let session = try bench.openSession(from: client)
      if number == 0 { first = session }
    }
    #expect(
      refusal { () throws(BusError) in _ = try bench.openSession(from: ":2.15") }
        == "LimitsExceeded")
    // Of the bench's own client, the friend and a new one each has a session.
    let new = try bench.openSession(from: ":9.2")
    let isOpen = { (session: String, client: String) in
      refusal { () throws(BusError) in
        try bench.call(session, "Session", "Close", from: client)
      } == nil
    }
    #expect(!isOpen(first, ":2.0"))
    #expect(isOpen(friends, ":9.1") && isOpen(new, ":9.2") && isOpen(bench.plain, ":1.1"))
  }

  @Test("public numbers that make the key known are refused, and so are other lengths")
  func numbers() throws {
    let bench = try ServiceFixture()
    var least = Self.prime
    least[127] -= 1
    let cases: [[UInt8]] = [
      [], [0], [1], least, Self.prime, [UInt8](repeating: 0xFF, count: 128),
      [UInt8](repeating: 1, count: 129),
    ]
    for bytes in cases {
      #expect(
        refusal { () throws(BusError) in
          try bench.call(
            ServiceFixture.path, "Service", "OpenSession", .text(KeyAgreement.algorithm),
            .variant(.bytes(Secret(bytes))))
        } == "InvalidArgs", "\(bytes.count) bytes")
    }
    for (algorithm, input) in [
      ("plain", BusValue.bytes(Secret("x"))), (KeyAgreement.algorithm, .text("")),
    ] {
      #expect(
        refusal { () throws(BusError) in
          try bench.call(
            ServiceFixture.path, "Service", "OpenSession", .text(algorithm), .variant(input))
        } == "InvalidArgs")
    }
    #expect(
      refusal { () throws(BusError) in
        try bench.call(
          ServiceFixture.path, "Service", "OpenSession", .text("rot13"), .variant(.text("")))
      } == "NotSupported")
  }

  @Test("both sides agree on one key")
  func agreement() throws {
    // The other side's private number is 2, and its public one 4.
    let (number, key) = try KeyAgreement.agree(with: Secret([4]))
    #expect(number.count == 128)
    // Numbers of this test, freed at its end.
    let (context, shared, prime) = unsafe (BN_CTX_new(), BN_new(), BN_get_rfc2409_prime_1024(nil))
    defer {
      unsafe BN_free(shared)
      unsafe BN_free(prime)
      unsafe BN_CTX_free(context)
    }
    unsafe BN_bin2bn(number.array, 128, shared)
    #expect(unsafe BN_mod_sqr(shared, shared, prime, context) == 1)
    var bytes = [UInt8](repeating: 0, count: 128)
    #expect(unsafe BN_bn2binpad(shared, &bytes, 128) == 128)
    let pseudorandom = Self.authenticationCode(bytes, key: [UInt8](repeating: 0, count: 32))
    #expect(key.array == Array(Self.authenticationCode([1], key: pseudorandom).prefix(16)))
  }

  private static func authenticationCode(_ data: [UInt8], key: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: 32)
    // SHA-256 has 32 bytes.
    unsafe HMAC(EVP_sha256(), key, Int32(key.count), data, data.count, &code, nil)
    return code
  }

  @Test("a secret is encrypted anew each time, and only whole ciphertexts are decrypted")
  func cipher() throws {
    let key = Secret([UInt8](0..<16))
    for count in [0, 1, 15, 16, 17, 4096] {
      let secret = Secret([UInt8](repeating: 9, count: count))
      let (iv, bytes) = try SessionCipher.encrypt(secret, key)
      #expect(iv.count == 16 && bytes.count == count / 16 * 16 + 16)
      #expect(try SessionCipher.decrypt(bytes, iv: iv, key).isEqual(to: secret))
      #expect(try !SessionCipher.encrypt(secret, key).iv.isEqual(to: iv))
    }
    let (iv, bytes) = try SessionCipher.encrypt(Secret("text"), key)
    let cases: [(Secret, Secret)] = [
      (Secret(""), iv), (bytes, Secret("")), (bytes.beginning(15), iv), (bytes, iv.beginning(15)),
      (Secret([UInt8](repeating: 0, count: 16)), iv),
    ]
    for (bytes, iv) in cases {
      #expect(throws: VaultError(.invalidArgument, "")) {
        try SessionCipher.decrypt(bytes, iv: iv, key)
      }
    }
    // openssl enc -aes-128-cbc, of the text "known answer".
    let known: [UInt8] = [
      0xC4, 0xD6, 0x96, 0x97, 0x67, 0x33, 0x99, 0xEE, 0xCC, 0x9A, 0x6D, 0x9B, 0x0D, 0xAA, 0x5D,
      0xBA,
    ]
    #expect(
      try SessionCipher.decrypt(Secret(known), iv: Secret([UInt8](16..<32)), key).array
        == Array("known answer".utf8))
  }
}
