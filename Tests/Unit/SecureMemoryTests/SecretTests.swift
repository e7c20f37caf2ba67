import Testing

@testable import SecureMemory

/// A type that holds a secret the way that items and credentials do.
private struct Account {
  let user = "visible-user"
  let secret: Secret?
}

@Suite("Secret")
struct SecretTests {
  static let counts = [0, 1, 15, 16, 17, 4095, 4096, 4097, 1 << 20]

  @Test("a secret has the bytes it was made from", arguments: counts)
  func contents(count: Int) {
    let bytes = pattern(seed: count, count: count)
    let secret = Secret(bytes)
    #expect(secret.count == count)
    #expect(secret.withRawBytes { $0.byteCount } == count)
    #expect(secret.holds(bytes))
  }

  @Test("a secret written in place starts as zeros, at an address", arguments: counts)
  func writtenInPlace(count: Int) {
    // One of this size was made before, so that the memory is reused and would show remains.
    let bytes = pattern(seed: 1, count: count)
    _ = Secret(bytes)
    var isAsPromised = false
    // The buffer is as long as `bytes`.
    let secret = unsafe Secret(count: count) { memory in
      let isAddressed = unsafe memory.baseAddress != nil && memory.count == count
      let isZero = unsafe memory.allSatisfy { $0 == 0 }
      isAsPromised = isAddressed && isZero
      unsafe memory.copyBytes(from: bytes)
    }
    #expect(isAsPromised)
    #expect(secret.holds(bytes))
  }

  @Test("an error while a secret is written comes through")
  func throwingInitializer() {
    #expect(throws: BodyError.self) {
      // Nothing is written.
      _ = try unsafe Secret(count: 20) { _ throws(BodyError) in throw BodyError() }
    }
  }

  @Test("an error while a secret is read comes through")
  func throwingReader() {
    let secret = Secret("s")
    #expect(throws: BodyError.self) {
      try secret.withRawBytes { _ throws(BodyError) in throw BodyError() }
    }
  }

  @Test("a secret from text holds its UTF-8", arguments: ["", "a", "Grüße", "longer than fifteen"])
  func text(_ text: String) {
    #expect(Secret(text).holds(Array(text.utf8)))
  }

  @Test("secrets are equal if every byte is", arguments: [1, 16, 17, 300])
  func equality(count: Int) {
    let bytes = pattern(seed: 3, count: count)
    let secret = Secret(bytes)
    for index in bytes.indices {
      var other = bytes
      other[index] ^= 0x80
      #expect(!secret.isEqual(to: Secret(other)))
    }
    #expect(secret.isEqual(to: Secret(bytes)))
    #expect(!secret.isEqual(to: Secret(Array(bytes.dropLast()))))
    #expect(!secret.isEqual(to: Secret(bytes + [0])))
  }

  @Test("empty secrets are equal to each other only")
  func emptyEquality() {
    #expect(Secret("").isEqual(to: Secret("")))
    #expect(!Secret("").isEqual(to: Secret("\0")))
  }

  @Test("neither a secret nor what holds it shows the bytes when printed, dumped or mirrored")
  func reflection() {
    let word = "correct-horse"
    let account = Account(secret: Secret(word))
    var shown = ""
    dump(account, to: &shown)
    dump(account.secret, to: &shown)
    print(account, account.secret as Any, to: &shown)
    print(String(describing: account.secret), String(reflecting: account), to: &shown)
    for part in Mirror(reflecting: account).children {
      print(part, Mirror(reflecting: part.value).children.map { "\($0)" }, to: &shown)
    }
    #expect(shown.contains("visible-user"))
    #expect(!shown.contains("correct"))
    #expect(!shown.contains(Array(word.utf8).map(String.init).joined(separator: ", ")))
    #expect(!shown.contains("0x"))
    #expect(Mirror(reflecting: Secret(word)).children.isEmpty)
  }
}

@Suite("KeyBuffer")
struct KeyBufferTests {
  @Test("a key has the bytes that were written", arguments: SecretTests.counts)
  func contents(count: Int) {
    let bytes = pattern(seed: count, count: count)
    let key = KeyBuffer(bytes)
    let isCounted = key.count == count
    let bySpan = key.holds(bytes)
    // The key's own bytes, and one pass.
    let byPointer = unsafe key.withUnsafeBytes {
      unsafe $0.baseAddress != nil && $0.elementsEqual(bytes)
    }
    #expect(isCounted && bySpan && byPointer)
  }

  @Test("random keys differ")
  func random() {
    let one = KeyBuffer(random: 32)
    let other = KeyBuffer(random: 32)
    let equal = one.withRawBytes { one in other.withRawBytes { constantTimeEqual(one, $0) } }
    #expect(!equal)
  }
}
