import SecureMemory
import VaultModel

/// The rules by which ASN.1 is encoded.
enum ASN1Rules {
  /// The one form of each value that certificates and keys have (X.690 §10).
  case der
  /// Also lengths that are found by their end, and strings in pieces: PKCS #12 files have them.
  case ber
}

/// Reads the elements of an ASN.1 encoding one after another, in guarded memory.
///
/// Tags of several octets are refused: none of the structures here has one.
struct ASN1Reader {
  let source: Secret
  private var position: Int
  private let end: Int
  let rules: ASN1Rules
  private let depth: Int

  /// Elements within each other, of which real files have some twenty.
  private static let deepest = 32

  /// Creates a reader of the whole source.
  init(_ source: Secret, _ rules: ASN1Rules) {
    self.init(source, 0..<source.count, rules, depth: 0)
  }

  fileprivate init(_ source: Secret, _ range: Range<Int>, _ rules: ASN1Rules, depth: Int) {
    self.source = source
    position = range.lowerBound
    end = range.upperBound
    self.rules = rules
    self.depth = depth
  }

  var isAtEnd: Bool { position == end }

  /// The tag of the next element; nil at the end.
  var nextTag: UInt8? { isAtEnd ? nil : source[position] }

  /// Reads an element.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if it is malformed or goes beyond the end.
  mutating func next() throws(VaultError) -> ASN1Element {
    guard depth < Self.deepest else { throw ASN1.malformed }
    let start = position
    let tag = try octet()
    guard tag & 0x1F != 0x1F, tag != 0 else { throw ASN1.malformed }
    if let count = try length(isConstructed: tag & 0x20 != 0) {
      guard count <= end - position else { throw ASN1.malformed }
      let content = position..<(position + count)
      position = content.upperBound
      return ASN1Element(
        source: source, tag: tag, whole: start..<position, content: content, rules: rules,
        depth: depth + 1)
    }
    let content = position
    var inner = ASN1Reader(source, position..<end, rules, depth: depth + 1)
    while inner.nextTag != 0 { _ = try inner.next() }
    // The end of contents is two zeros.
    position = inner.position
    let zeros = (try octet(), try octet())
    guard zeros == (0, 0) else { throw ASN1.malformed }
    return ASN1Element(
      source: source, tag: tag, whole: start..<position, content: content..<(position - 2),
      rules: rules, depth: depth + 1)
  }

  /// Reads an element that must have a tag.
  mutating func next(_ tag: UInt8) throws(VaultError) -> ASN1Element {
    let element = try next()
    guard element.tag == tag else { throw ASN1.malformed }
    return element
  }

  /// Reads an element if it has a tag.
  mutating func optional(_ tag: UInt8) throws(VaultError) -> ASN1Element? {
    nextTag == tag ? try next() : nil
  }

  /// Requires that nothing is left.
  func finish() throws(VaultError) {
    guard isAtEnd else { throw ASN1.malformed }
  }

  private mutating func octet() throws(VaultError) -> UInt8 {
    guard position < end else { throw ASN1.malformed }
    defer { position += 1 }
    return source[position]
  }

  /// Reads a length; nil if the end of the contents is marked instead.
  private mutating func length(isConstructed: Bool) throws(VaultError) -> Int? {
    let first = try octet()
    guard first & 0x80 != 0 else { return Int(first) }
    if first == 0x80 {
      guard rules == .ber, isConstructed else { throw ASN1.malformed }
      return nil
    }
    let octets = Int(first & 0x7F)
    guard octets <= 4 else { throw ASN1.malformed }
    var value = 0
    for _ in 0..<octets { value = value << 8 | Int(try octet()) }
    guard rules == .ber || (value >= 0x80 && value >> (8 * (octets - 1)) != 0) else {
      throw ASN1.malformed
    }
    return value
  }
}

/// An element of an ASN.1 encoding: its tag, and where its content is.
struct ASN1Element {
  let source: Secret
  /// The identifier octet: class, whether it is constructed, and number.
  let tag: UInt8
  /// The range of tag, length and content.
  let whole: Range<Int>
  let content: Range<Int>
  let rules: ASN1Rules
  fileprivate let depth: Int

  /// A reader of the elements within it.
  var elements: ASN1Reader { ASN1Reader(source, content, rules, depth: depth) }

  /// A copy of the content.
  var secret: Secret { source.slice(content) }

  /// A copy of the content in ordinary memory.
  var octets: [UInt8] { source.octets(content) }

  /// A copy of tag, length and content in ordinary memory.
  var encoding: [UInt8] { source.octets(whole) }

  /// Returns the only element within it.
  func only(_ tag: UInt8? = nil) throws(VaultError) -> ASN1Element {
    var elements = elements
    let element = try elements.next()
    guard tag == nil || element.tag == tag else { throw ASN1.malformed }
    try elements.finish()
    return element
  }

  /// Returns the bytes of a string, the pieces of which are joined.
  ///
  /// - Parameter context: The tag if it is not that of an octet string.
  /// - Returns: The bytes.
  /// - Throws: ``VaultError/Code/invalidData`` for another tag, or malformed pieces.
  func octetString(_ context: UInt8 = ASN1.octetString) throws(VaultError) -> Secret {
    if tag == context { return secret }
    guard rules == .ber, tag == context | 0x20 else { throw ASN1.malformed }
    var joined = SecretBuffer(capacity: content.count)
    var pieces = elements
    while !pieces.isAtEnd {
      let piece = try pieces.next().octetString()
      piece.withRawBytes { joined.append($0) }
    }
    return joined.secret(0..<joined.count)
  }

  /// Returns a number that is not negative.
  func integer() throws(VaultError) -> Int {
    guard tag == ASN1.integer, !content.isEmpty, content.count <= 8 else { throw ASN1.malformed }
    let value = octets.reduce(into: UInt64(0)) { $0 = $0 << 8 | UInt64($1) }
    // The highest bit is the sign, of a shorter number too.
    guard octets[0] & 0x80 == 0 else { throw ASN1.malformed }
    return Int(value)
  }

  /// Returns whole octets of bits.
  func bitString(_ context: UInt8 = ASN1.bitString) throws(VaultError) -> [UInt8] {
    let octets = octets
    guard tag == context, octets.first == 0 else { throw ASN1.malformed }
    return Array(octets.dropFirst())
  }

  func oid() throws(VaultError) -> OID {
    guard tag == ASN1.oid, let oid = OID(octets) else { throw ASN1.malformed }
    return oid
  }
}

/// The identifier octets of ASN.1's own types.
enum ASN1 {
  static let boolean: UInt8 = 0x01
  static let integer: UInt8 = 0x02
  static let bitString: UInt8 = 0x03
  static let octetString: UInt8 = 0x04
  static let null: UInt8 = 0x05
  static let oid: UInt8 = 0x06
  static let sequence: UInt8 = 0x30
  static let set: UInt8 = 0x31

  /// Returns the identifier octet of a constructed element with a number of its context.
  static func explicit(_ number: UInt8) -> UInt8 { 0xA0 | number }

  static var malformed: VaultError { VaultError(.invalidData, "malformed ASN.1") }
}

extension Secret {
  /// The byte at an index below ``count``.
  subscript(index: Int) -> UInt8 { withBytes { $0[index] } }

  func slice(_ range: Range<Int>) -> Secret {
    withRawBytes { Secret(copying: $0.extracting(range)) }
  }

  func octets(_ range: Range<Int>) -> [UInt8] {
    withBytes { bytes in range.map { bytes[$0] } }
  }

  /// Calls `body` with the bytes for C, which are valid until it returns.
  @unsafe func withOctets<R: ~Copyable, E: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(E) -> R
  ) throws(E) -> R {
    try withRawBytes { (bytes) throws(E) in
      // Bytes, whatever they are, and bound to nothing else meanwhile.
      try unsafe bytes.withUnsafeBytes { (memory) throws(E) in
        try unsafe body(memory.bindMemory(to: UInt8.self))
      }
    }
  }
}
