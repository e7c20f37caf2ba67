import SecureMemory
import Testing
import VaultModel

@testable import Interchange

@Suite("The source of bytes")
struct ByteSourceTests {
  @Test("bytes come in order, and lines are counted as their ends are taken")
  func order() throws {
    let source = ByteSource(Secret("a\nb"))
    #expect(try source.peek() == UInt8(ascii: "a"))
    #expect(try source.next() == UInt8(ascii: "a"))
    #expect(source.line == 1)
    #expect(try source.skip(UInt8(ascii: "\n")))
    #expect(source.line == 2)
    #expect(try !source.skip("bc"))
    #expect(try source.skip("b"))
    #expect(try source.next() == nil)
    #expect(source.offset == 3)
  }

  @Test("a run is collected across buffers, up to its limit", arguments: [1, 7, 4096, 100_000])
  func run(chunk: Int) throws {
    var left = 200_000
    let source = ByteSource { memory throws(VaultError) in
      let count = unsafe min(left, chunk, memory.count)
      for index in 0..<count { unsafe memory[index] = UInt8(ascii: "x") }
      left -= count
      return count
    }
    var target = SecretBuffer()
    #expect(try source.take(while: { _ in true }, into: &target, limit: 150_000) == false)
    #expect(target.count == 150_000)
    #expect(source.offset == 200_000)
    #expect(try source.next() == nil)
  }

  @Test("bytes can be looked at ahead, and stay")
  func ahead() throws {
    let source = ByteSource(Secret("abcdef"))
    _ = try source.next()
    #expect(try source.peek(3) { Bytes.equal($0, "bcd") })
    #expect(try source.peek(100) { $0.byteCount } == 5)
    #expect(try source.next() == UInt8(ascii: "b"))
  }
}
