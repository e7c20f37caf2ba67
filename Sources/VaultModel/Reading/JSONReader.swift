import SecureMemory

/// Reads one JSON document (RFC 8259) in order, value by value, in bounded secret memory.
///
/// A string is taken as text or, without ever being text, as a ``Secret``. Input that is not
/// exactly one document in UTF-8 is refused with the place of the error: also names that are twice
/// in an object, halves of surrogate pairs, and anything after the document. Values that the caller
/// does not ask for are also checked. In a document of another program, a fault of one record stops
/// no other one: see ``RecordFaults``.
///
/// ```swift
/// while let name = try json.nextMember() {
///   if name == "Secret" { secret = try json.secret() } else { try json.skip() }
/// }
/// ```
///
/// All methods throw ``VaultError/Code/invalidData`` for malformed input and for a value of another
/// kind, ``VaultError/Code/tooLarge`` beyond a limit, and any error of the source.
package final class JSONReader {
  /// The kind of a value.
  package enum Kind: String, Sendable {
    case object = "an object"
    case array = "an array"
    case string = "a string"
    case number = "a number"
    case boolean = "true or false"
    case null = "null"
  }

  /// The limits of what is read, in bytes unless it says otherwise.
  package struct Limits: Sendable {
    package var document = Int.max
    /// The number of objects and arrays inside one another.
    package var depth = 64
    /// One name.
    package var name = 4096
    /// All names of the objects that are open; they are kept to find those that are there twice.
    package var names = 16 << 20
    /// One string that is taken, without its escapes.
    package var string = 1 << 20
    /// One record of many in the document, with its escapes: see ``JSONReader/beginRecord()``.
    package var record = 16 << 20

    package init() {}
  }

  private enum Container {
    /// An object with the names that were read, and how often.
    case object(names: [[UInt8]: Int], size: Int)
    case array
  }

  let limits: Limits
  let source: ByteSource
  /// Whether another program wrote the document, whose faults stop only their own record.
  let isForeign: Bool
  /// The number of bytes before the current line.
  var lineStart = 0
  /// Whether a record is being read.
  var isInRecord = false
  /// The offset beyond which a record is too long.
  var recordEnd = Int.max
  /// The faults of the record so far.
  var faults = RecordFaults()
  /// Whether the rest of the record is passed over, because it is beyond a limit.
  var isCut = false
  /// The string that is being read.
  var text = SecretBuffer()
  private var containers: [Container] = []
  /// The size of the names of all open objects.
  private var namesSize = 0
  /// Whether the current container already has a value.
  var needsComma = false
  private var hasBegun = false
  /// The offset of the last name that was read, with its quotes.
  package private(set) var nameStart = 0
  /// The last name that was read, as it is in the document.
  package private(set) var lastName = ""
  /// The number of bytes that were read; behind a name, where its value begins.
  package var offset: Int { source.offset }

  /// Creates a reader of a source, from which nothing is read yet.
  package init(_ source: ByteSource, limits: Limits = Limits(), isForeign: Bool = false) {
    self.source = source
    self.limits = limits
    self.isForeign = isForeign
  }

  /// Returns the kind of the next value.
  package func kind() throws(VaultError) -> Kind {
    try begin()
    switch try peek() {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "-")?, (UInt8(ascii: "0")...UInt8(ascii: "9"))?: return .number
    case nil: throw invalid("the document ends too early")
    default: throw invalid("no value begins with this")
    }
  }

  /// Returns the next name of the object that is the document, whose value then follows; nil once
  /// the object has ended, and nothing but white space follows it.
  package func nextMember() throws(VaultError) -> String? {
    if !hasBegun { try beginObject() }
    if !containers.isEmpty, let name = try nextName() { return name }
    try finish()
    return nil
  }

  package func beginObject() throws(VaultError) {
    try require(.object)
    try open(.object(names: [:], size: 0))
  }

  /// Returns the next name of the object, whose value then follows; nil if the object has ended.
  ///
  /// In a document of another program, a name that was there before has a number behind it:
  /// `password 2` is the second `password`.
  package func nextName() throws(VaultError) -> String? {
    while let name = try readName() {
      guard isCut else { return name }
      try skip()
    }
    return nil
  }

  private func readName() throws(VaultError) -> String? {
    guard case .object(var names, var size) = containers.last else {
      throw VaultError(.internalError, "a name is read outside of an object")
    }
    guard try !closes(with: UInt8(ascii: "}")) else { return nil }
    try require(.string)
    nameStart = offset
    // The names have one owner while they grow; otherwise each would copy all others.
    containers[containers.count - 1] = .array
    var name = try readText(limit: limits.name)
    lastName = name
    if !isCut {
      let plain = Array(name.utf8)
      if var count = names.updateValue(1, forKey: plain) {
        guard isForeign else { throw invalid("a name is twice in an object") }
        repeat {
          count += 1
          name = "\(lastName) \(count)"
        } while names[Array(name.utf8)] != nil
        (names[plain], names[Array(name.utf8)]) = (count, 1)
      }
      // A small array has about this much beside its bytes.
      let added = name.utf8.count + 64
      namesSize += added
      size += added
    }
    containers[containers.count - 1] = .object(names: names, size: size)
    if namesSize > limits.names { try cut(tooLarge("an object has too many names")) }
    try skipSpace()
    guard try take() == UInt8(ascii: ":") else { throw invalid("a colon is missing") }
    try skipSpace()
    return name
  }

  package func beginArray() throws(VaultError) {
    try require(.array)
    try open(.array)
  }

  /// Returns whether another value of the array follows; false if the array has ended.
  package func nextElement() throws(VaultError) -> Bool {
    while try !closes(with: UInt8(ascii: "]")) {
      guard isCut else { return true }
      try skip()
    }
    return false
  }

  /// Reads a value of any kind, with all that it holds, and drops it.
  package func skip() throws(VaultError) {
    let depth = containers.count
    repeat {
      if containers.count > depth {
        let hasMore =
          if case .array = containers.last { try !closes(with: UInt8(ascii: "]")) } else {
            try readName() != nil
          }
        guard hasMore else { continue }
      }
      switch try kind() {
      case .object: try beginObject()
      case .array: try beginArray()
      case .string:
        try require(.string)
        try readString(limit: nil)
      case .number: _ = try wholeNumber()
      case .boolean: _ = try boolean()
      case .null: _ = try isNull()
      }
    } while containers.count > depth
  }

  /// Requires that nothing but white space follows the document.
  package func finish() throws(VaultError) {
    try skipSpace()
    guard try peek() == nil else { throw invalid("something follows the document") }
  }

  func require(_ kind: Kind) throws(VaultError) {
    let found = try self.kind()
    guard found == kind else { throw invalid("\(found.rawValue) instead of \(kind.rawValue)") }
    needsComma = true
  }

  /// Skips the white space before the document, and the byte order mark that some programs write.
  private func begin() throws(VaultError) {
    guard !hasBegun else { return }
    hasBegun = true
    if try source.skip("\u{FEFF}") { lineStart = source.offset }
    try skipSpace()
  }

  private func open(_ container: Container) throws(VaultError) {
    if containers.count >= limits.depth {
      let error = tooLarge("more than \(limits.depth) objects and arrays inside one another")
      guard containers.count < Self.deepest else { throw error }
      try cut(error)
    }
    _ = try take()
    containers.append(container)
    needsComma = false
  }

  /// The most objects and arrays inside one another that are passed over.
  private static let deepest = 1 << 16

  /// Goes on to the next value of a container, or past its end, and then returns true.
  private func closes(with bracket: UInt8) throws(VaultError) -> Bool {
    try skipSpace()
    if try peek() == bracket {
      _ = try take()
      if case .object(_, let size) = containers.removeLast() { namesSize -= size }
      needsComma = true
      return true
    }
    guard needsComma else { return false }
    guard try take() == UInt8(ascii: ",") else { throw invalid("a comma is missing") }
    try skipSpace()
    return false
  }
}
