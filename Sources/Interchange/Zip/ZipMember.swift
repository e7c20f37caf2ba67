import SecureMemory
import VaultModel

/// One member of a zip file, found by the local headers in the order of the file.
///
/// The file is read once from its start, so that it can come from a pipe; of the directory at its
/// end only the beginning is needed, which tells that no member is cut off. Names are only compared
/// and told, never used as paths. The memory is bounded, and so are the decompressed size and its
/// ratio to the compressed one, which deflate lets be 1032: a file of a megabyte must not keep the
/// reader busy with a gigabyte.
///
/// - Source: PKWARE's APPNOTE.TXT 6.3, §4.3.7 and §4.3.9.
final class ZipMember {
  /// The most bytes that a member may have when it is decompressed.
  static let longest = 1 << 30
  /// The largest ratio of a member's length to that of its compressed bytes, above ``leastChecked``
  /// bytes.
  ///
  /// Documents of passwords are 3 to 20 times as long.
  static let mostRatio = 100
  /// The decompressed bytes up to which a member may have any ratio.
  static let leastChecked = 1 << 20

  /// The most bytes of other members' names that are kept.
  private static let longestNames = 1 << 20

  private let source: ByteSource
  private let limit: Int
  /// The names of the members that were passed over.
  private(set) var others: [String] = []
  private var namesSize = 0
  private var isZip = false
  private var input = SecretBuffer(capacity: 1 << 15)
  /// The number of the input's bytes that were taken.
  private var position = 0

  // The current member.
  private var inflater: Inflater?
  private var method: UInt16 = 0
  private var hasDescriptor = false
  private var expected: (checksum: UInt32, compressed: Int, size: Int) = (0, 0, 0)
  private var checksum = Checksum()
  private var compressed = 0
  private var size = 0
  private var hasEnded = false

  /// Finds the member with a name, which may have at most `limit` bytes.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if the file is not a zip file or has no such member;
  ///   any error of the source.
  init(
    _ name: StaticString, in source: ByteSource, limit: Int = longest
  ) throws(VaultError) {
    self.source = source
    self.limit = limit
    while let isFound = try begin(name) {
      if isFound { return }
      try skip()
    }
    throw VaultError(.invalidData, "zip: there is no \(name) in the file")
  }

  /// The decompressed bytes of the member.
  ///
  /// Its checksum and lengths are checked when its last byte is read. Reading throws
  /// ``VaultError/Code/tooLarge`` if it is longer than its limit, and any error of the source.
  var content: ByteSource {
    unsafe ByteSource { (memory) throws(VaultError) in try unsafe self.read(into: memory) }
  }

  /// Passes over the members behind this one, of which all was read.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if one is damaged or the file ends before its
  ///   directory; any error of the source.
  func skipOthers() throws(VaultError) {
    while try begin("") != nil { try skip() }
  }

  /// Passes over the present member, without decompressing it if its header has its length.
  private func skip() throws(VaultError) {
    var scratch = SecretBuffer()
    while hasDescriptor, !hasEnded {
      // The memory is the scratch buffer's own.
      try unsafe scratch.append(upTo: 1 << 14) { (memory) throws(VaultError) in
        try unsafe read(into: memory)
      }
      scratch.removeAll()
    }
    while !hasEnded, compressed < expected.compressed {
      try fill(1)
      let count = min(input.count - position, expected.compressed - compressed)
      position += count
      compressed += count
    }
  }

  /// Keeps the name of a member that is passed over, whose bytes come next.
  private func keepName(_ count: Int) throws(VaultError) {
    namesSize += count
    guard namesSize <= Self.longestNames else {
      throw VaultError(.tooLarge, "zip: the names in it are too long")
    }
    others.append(
      input.withRawBytes {
        String(decoding: Bytes.array($0.extracting(position..<(position + count))), as: UTF8.self)
      })
  }

  /// Reads a local header and returns whether its member has the name; nil at the end of all.
  private func begin(_ name: StaticString) throws(VaultError) -> Bool? {
    let signature = try number(4)
    if [0x0201_4B50, 0x0605_4B50].contains(signature) { return nil }
    guard signature == 0x0403_4B50 else {
      throw VaultError(.invalidData, isZip ? "zip: the file is damaged" : "not a zip file")
    }
    isZip = true
    _ = try number(2)
    let flags = try number(2)
    method = UInt16(try number(2))
    _ = try number(4)
    expected.checksum = try number(4)
    expected.compressed = Int(try number(4))
    expected.size = Int(try number(4))
    let nameCount = Int(try number(2))
    let extraCount = Int(try number(2))
    try fill(nameCount)
    let isWanted = input.withRawBytes {
      Bytes.equal($0.extracting(position..<(position + nameCount)), name)
    }
    if !isWanted { try keepName(nameCount) }
    position += nameCount
    try fill(extraCount)
    position += extraCount
    guard flags & 1 == 0 else { throw VaultError(.invalidData, "zip: the file is encrypted") }
    hasDescriptor = flags & 8 != 0
    guard method == 8 || (method == 0 && !hasDescriptor) else {
      throw VaultError(.unsupported, "zip: compressed by method \(method)")
    }
    guard expected.compressed != Int(UInt32.max), expected.size != Int(UInt32.max) else {
      throw VaultError(.tooLarge, "zip: a file in it is longer than 4 GiB")
    }
    inflater = method == 8 ? try Inflater() : nil
    (checksum, compressed, size, hasEnded) = (Checksum(), 0, 0, false)
    return isWanted
  }

  /// Reads the member's next bytes; 0 at its end.
  private func read(into memory: UnsafeMutableRawBufferPointer) throws(VaultError) -> Int {
    while !hasEnded {
      let isInputEmpty = position == input.count
      if isInputEmpty, method == 8 || compressed < expected.compressed { try fill(1) }
      // The member's memory is the caller's, and `written` of its bytes are initialized.
      let (read, written) = try unsafe decompress(into: memory)
      position += read
      compressed += read
      size += written
      unsafe checksum.add(UnsafeRawBufferPointer(rebasing: memory[..<written]))
      guard size <= limit else {
        throw VaultError(.tooLarge, "zip: a file in it is longer than \(limit) bytes")
      }
      guard size <= max(Self.leastChecked, compressed * Self.mostRatio) else {
        throw VaultError(
          .tooLarge, "zip: a file in it is more than \(Self.mostRatio) times its compressed size")
      }
      if inflater?.hasEnded ?? (compressed == expected.compressed) { try end() }
      if written > 0 { return written }
    }
    return 0
  }

  private func decompress(
    into memory: UnsafeMutableRawBufferPointer
  ) throws(VaultError) -> (read: Int, written: Int) {
    try input.withRawBytes { (bytes) throws(VaultError) in
      let rest = bytes.extracting(position..<bytes.byteCount)
      if let inflater { return try unsafe inflater.inflate(rest, into: memory) }
      let count = min(rest.byteCount, memory.count, expected.compressed - compressed)
      // As many bytes as both have.
      unsafe rest.extracting(first: count).withUnsafeBytes {
        unsafe memory.copyMemory(from: $0)
      }
      return (count, count)
    }
  }

  /// Checks the member's lengths and checksum, which may follow it.
  private func end() throws(VaultError) {
    hasEnded = true
    if hasDescriptor {
      let first = try number(4)
      expected.checksum = first == 0x0807_4B50 ? try number(4) : first
      expected.compressed = Int(try number(4))
      expected.size = Int(try number(4))
    }
    guard checksum.value == expected.checksum, compressed == expected.compressed,
      size == expected.size
    else { throw VaultError(.invalidData, "zip: a file in it is damaged") }
  }

  /// Reads a number of up to four bytes, the lowest first.
  private func number(_ count: Int) throws(VaultError) -> UInt32 {
    try fill(count)
    var number: UInt32 = 0
    for index in 0..<count { number |= UInt32(input[position + index]) << UInt32(8 * index) }
    position += count
    return number
  }

  /// Makes sure that the input has as many bytes that were not taken.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if the file ends before.
  private func fill(_ count: Int) throws(VaultError) {
    if position == input.count {
      input.removeAll()
      position = 0
    }
    while input.count - position < count {
      input.removeFirst(position)
      position = 0
      let before = input.count
      try source.takeSome(into: &input)
      guard input.count > before else {
        throw VaultError(.invalidData, "zip: the file ends too early")
      }
    }
  }
}
