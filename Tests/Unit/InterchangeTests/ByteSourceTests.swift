import SecureMemory
import Testing

@testable import VaultModel

@Suite struct ByteSourceTests {
  @Test func `Bytes come in order, and lines are counted as their ends are taken`() throws {
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

  @Test(arguments: [1, 7, 4096, 100_000])
  func `A run is collected across buffers, up to its limit`(chunk: Int) throws {
    let source = ByteSource.repeating("x", count: 200_000, chunk: chunk)
    var target = SecretBuffer()
    #expect(try source.take(while: { _ in true }, into: &target, limit: 150_000) == false)
    #expect(target.count == 150_000)
    #expect(source.offset == 200_000)
    #expect(try source.next() == nil)
  }

  @Test func `Bytes can be looked at ahead, and stay`() throws {
    let source = ByteSource(Secret("abcdef"))
    _ = try source.next()
    #expect(try source.peek(3) { Bytes.equal($0, "bcd") })
    #expect(try source.peek(100) { $0.byteCount } == 5)
    #expect(try source.next() == UInt8(ascii: "b"))
  }
}

extension ByteSource {
  /// Returns a source of one byte many times, never all of it in memory.
  static func repeating(
    _ byte: Unicode.Scalar, count: Int, chunk: Int = 65536, after start: String = "",
    before end: String = ""
  ) -> ByteSource {
    var left = count
    var (first, last) = (Array(start.utf8), Array(end.utf8))
    // Every index is below the memory's count.
    return unsafe ByteSource { (memory) throws(VaultError) in
      var filled = 0
      while filled < min(memory.count, chunk) {
        if !first.isEmpty {
          unsafe memory[filled] = first.removeFirst()
        } else if left > 0 {
          unsafe memory[filled] = UInt8(ascii: byte)
          left -= 1
        } else if !last.isEmpty {
          unsafe memory[filled] = last.removeFirst()
        } else {
          break
        }
        filled += 1
      }
      return filled
    }
  }
}
