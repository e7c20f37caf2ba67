package import SecureMemory

/// The bytes of a file, read once from start to end through a small guarded buffer.
///
/// Its creator supplies the bytes; it opens nothing itself. The memory is bounded
/// for a file of any size.
///
/// `@safe`: the pull gets memory of the buffer that is valid during the call; no pointer is kept.
@safe
package final class ByteSource {
  /// Writes the next bytes of the file into guarded memory.
  ///
  /// It returns how many bytes it wrote, 0 only at the end of the file.
  package typealias Pull = (UnsafeMutableRawBufferPointer) throws(VaultError) -> Int

  /// The number of bytes that are read at once, and the most that can be looked at ahead.
  package static let bufferSize = 64 << 10

  private let pull: Pull
  private var buffer = SecretBuffer(capacity: bufferSize)
  /// The number of the buffer's bytes that were taken.
  private var position = 0
  private var isAtEnd = false
  /// The number of the line, from 1, that the next byte is in: line feeds taken so far, and one.
  package private(set) var line = 1
  /// The number of bytes taken so far.
  package private(set) var offset = 0

  /// Creates a source of bytes that `pull` gives.
  package init(_ pull: @escaping Pull) {
    unsafe self.pull = pull
  }

  /// Creates a source of bytes that are in memory.
  package convenience init(_ secret: Secret) { self.init([secret]) }

  /// Creates a source of pieces that are in memory; each is given up once it was taken.
  package convenience init(_ pieces: [Secret]) {
    var rest = Array(pieces.reversed())
    var taken = 0
    unsafe self.init { (memory) throws(VaultError) in
      while let piece = rest.last, piece.count == taken {
        rest.removeLast()
        taken = 0
      }
      guard let piece = rest.last else { return 0 }
      let count = min(memory.count, piece.count - taken)
      piece.withRawBytes { bytes in
        // The range is within the piece, and no longer than the memory.
        unsafe bytes.extracting(taken..<(taken + count)).withUnsafeBytes {
          unsafe memory.copyMemory(from: $0)
        }
      }
      taken += count
      return count
    }
  }

  /// Takes the next byte; nil at the end.
  ///
  /// - Throws: Any error of the pull, as every function here.
  package func next() throws(VaultError) -> UInt8? {
    guard try fill() else { return nil }
    let byte = buffer[position]
    position += 1
    offset += 1
    if byte == UInt8(ascii: "\n") { line += 1 }
    return byte
  }

  /// Returns the next byte and leaves it; nil at the end.
  package func peek() throws(VaultError) -> UInt8? {
    try fill() ? buffer[position] : nil
  }

  /// Takes the next byte if it is this one, and returns whether it was.
  package func skip(_ byte: UInt8) throws(VaultError) -> Bool {
    guard try peek() == byte else { return false }
    _ = try next()
    return true
  }

  /// Takes the next bytes if they are these, at most ``bufferSize``, and returns whether they were.
  package func skip(_ bytes: StaticString) throws(VaultError) -> Bool {
    let count = bytes.utf8CodeUnitCount
    // A static string's bytes are valid for the whole run of the program.
    let expected = unsafe UnsafeRawBufferPointer(start: bytes.utf8Start, count: count)
    let isThere = try peek(count) { bytes in
      unsafe bytes.withUnsafeBytes { unsafe $0.elementsEqual(expected) }
    }
    guard isThere else { return false }
    for _ in 0..<count { _ = try next() }
    return true
  }

  /// Calls `body` with up to `count` next bytes, and leaves them; fewer only at the end.
  ///
  /// `count` is at most ``bufferSize``.
  package func peek<R>(_ count: Int, _ body: (RawSpan) -> R) throws(VaultError) -> R {
    precondition(count <= Self.bufferSize, "more bytes than the buffer holds")
    while buffer.count - position < count, !isAtEnd {
      buffer.removeFirst(position)
      position = 0
      try pullMore()
    }
    let range = position..<min(position + count, buffer.count)
    return buffer.withRawBytes { body($0.extracting(range)) }
  }

  /// Calls `body` with the bytes that are there, at least one, and takes as many as it returns.
  ///
  /// - Returns: False at the end, without a call.
  package func take(_ body: (RawSpan) -> Int) throws(VaultError) -> Bool {
    guard try fill() else { return false }
    let start = position
    var (taken, lines) = (0, 0)
    buffer.withRawBytes { bytes in
      taken = body(bytes.extracting(start..<bytes.byteCount))
      precondition(taken >= 0 && taken <= bytes.byteCount - start, "more is taken than was given")
      var rest = bytes.extracting(start..<(start + taken))
      while let feed = Bytes.firstIndex(of: UInt8(ascii: "\n"), in: rest) {
        lines += 1
        rest = rest.extracting((feed + 1)..<rest.byteCount)
      }
    }
    position += taken
    offset += taken
    line += lines
    return true
  }

  /// Takes bytes as long as `belongs` holds, and adds them to `target`.
  ///
  /// - Returns: Whether all of them were added; those beyond `limit` bytes in the target are taken
  ///   and dropped.
  @inline(__always)
  package func take(
    while belongs: (UInt8) -> Bool, into target: inout SecretBuffer, limit: Int
  ) throws(VaultError) -> Bool {
    var isWhole = true
    while try fill() {
      let start = position
      var (end, lines) = (start, 0)
      buffer.withRawBytes { bytes in
        while end < bytes.byteCount {
          // A byte of the span, which every bit pattern is valid for; the index is below its count.
          let byte = unsafe bytes.unsafeLoad(fromByteOffset: end, as: UInt8.self)
          guard belongs(byte) else { break }
          if byte == UInt8(ascii: "\n") { lines += 1 }
          end += 1
        }
        let room = min(end - start, max(limit - target.count, 0))
        target.append(bytes.extracting(start..<(start + room)))
        if room < end - start { isWhole = false }
      }
      let hasMore = end == buffer.count
      line += lines
      offset += end - start
      position = end
      guard hasMore else { break }
    }
    return isWhole
  }

  /// Adds up to 16 KiB of the bytes that follow to `target`; none at the end.
  package func takeSome(into target: inout SecretBuffer) throws(VaultError) {
    var left = 1 << 14
    _ = try take(
      while: { _ in
        left -= 1
        return left >= 0
      }, into: &target, limit: .max)
  }

  /// Makes sure that a byte is there, and returns false at the end.
  @inline(__always)
  private func fill() throws(VaultError) -> Bool {
    if position < buffer.count { return true }
    guard !isAtEnd else { return false }
    buffer.removeAll()
    position = 0
    try pullMore()
    return buffer.count > 0
  }

  private func pullMore() throws(VaultError) {
    let before = buffer.count
    let pull = unsafe pull
    try unsafe buffer.append(upTo: Self.bufferSize - before) { (memory) throws(VaultError) in
      try unsafe pull(memory)
    }
    isAtEnd = buffer.count == before
  }
}
