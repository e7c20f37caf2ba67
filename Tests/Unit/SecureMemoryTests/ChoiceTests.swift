import Testing

@testable import SecureMemory

@Suite("uniformChoice")
struct UniformChoiceTests {
  @Test("a choice is below its bound, and each number is chosen", arguments: [1, 2, 3, 62, 256])
  func range(bound: Int) {
    var seen: Set<Int> = []
    for _ in 0..<(bound * 40) {
      let choice = uniformChoice(below: bound)
      #expect((0..<bound).contains(choice))
      seen.insert(choice)
    }
    #expect(seen.count == bound)
  }

  @Test("a bound above half of all numbers is not exceeded, and not only its lower part is chosen")
  func large() {
    let bound = 3 << 30
    let choices = (0..<1000).map { _ in uniformChoice(below: bound) }
    #expect(choices.allSatisfy { $0 < bound })
    // A remainder would choose the lowest third twice as often: 500 of 1000.
    #expect(choices.count { $0 < 1 << 30 } < 450)
  }
}

@Suite("SecretDigest")
struct SecretDigestTests {
  @Test("it recognizes its secret and no other", arguments: [0, 1, 32, 1 << 16])
  func recognition(count: Int) throws {
    let bytes = pattern(seed: count, count: count)
    let digest = SecretDigest(of: Secret(bytes))
    #expect(digest.isOf(Secret(bytes)))
    #expect(!digest.isOf(Secret(bytes + [0])))
    if count > 0 { #expect(!digest.isOf(Secret(Array(bytes.dropLast()) + [bytes[count - 1] ^ 1]))) }
    #expect(try #require(SecretDigest(digest.bytes)).isOf(Secret(bytes)))
  }

  @Test("two of one secret differ, and neither has the secret in it")
  func keyed() {
    let bytes = pattern(seed: 7, count: 16)
    let one = SecretDigest(of: Secret(bytes))
    let two = SecretDigest(of: Secret(bytes))
    #expect(one != two)
    #expect(one.bytes.count == SecretDigest.count)
    #expect(!one.bytes.contains(bytes))
  }

  @Test("bytes of another length are no digest", arguments: [0, 63, 65])
  func wrong(count: Int) {
    #expect(SecretDigest([UInt8](repeating: 0, count: count)) == nil)
  }
}

@Suite("SecretHasher")
struct SecretHasherTests {
  @Test("it recognizes a secret by its hash, which another hasher does not share")
  func recognition() {
    let hasher = SecretHasher()
    let bytes = pattern(seed: 3, count: 40)
    #expect(hasher.hash(of: Secret(bytes)) == hasher.hash(of: Secret(bytes)))
    #expect(hasher.hash(of: Secret(bytes)) != hasher.hash(of: Secret(bytes + [0])))
    #expect(hasher.hash(of: Secret(bytes)) != SecretHasher().hash(of: Secret(bytes)))
  }
}
