package import SecureMemory

/// Reads one JSON document (RFC 8259) in order, value by value, in bounded secret memory.
///
/// A string is taken as text or, without ever being text, as a ``Secret``. Input that is not
/// exactly one document in UTF-8 is refused with the place of the error: also names that are twice
/// in an object, halves of surrogate pairs, and anything after the document. Values that the caller
/// does not ask for are also checked.
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
    case object(names: Set<[UInt8]>, size: Int)
    case array
  }

  let limits: Limits
  let source: ByteSource
  /// The number of bytes before the current line.
  var lineStart = 0
  /// The offset beyond which a record is too long.
  var recordEnd = Int.max
  /// The string that is being read.
  var text = SecretBuffer()
  private var containers: [Container] = []
  /// The size of the names of all open objects.
  private var namesSize = 0
  /// Whether the current container already has a value.
  private var needsComma = false
  private var hasBegun = false
  /// The offset of the last name that was read, with its quotes.
  package private(set) var nameStart = 0
  /// The number of bytes that were read; behind a name, where its value begins.
  package var offset: Int { source.offset }

  /// Creates a reader of a source, from which nothing is read yet.
  package init(_ source: ByteSource, limits: Limits = Limits()) {
    self.source = source
    self.limits = limits
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
    try open(.object(names: [], size: 0))
  }

  /// Returns the next name of the object, whose value then follows; nil if the object has ended.
  package func nextName() throws(VaultError) -> String? {
    guard case .object(var names, var size) = containers.last else {
      throw VaultError(.internalError, "a name is read outside of an object")
    }
    guard try !closes(with: UInt8(ascii: "}")) else { return nil }
    try require(.string)
    nameStart = offset
    // The set has one owner while it grows; otherwise each name would copy all others.
    containers[containers.count - 1] = .array
    let name = try readText(limit: limits.name)
    guard names.insert(Array(name.utf8)).inserted else {
      throw invalid("a name is twice in an object")
    }
    // A small array has about this much beside its bytes.
    let added = name.utf8.count + 64
    namesSize += added
    size += added
    guard namesSize <= limits.names else { throw tooLarge("an object has too many names") }
    containers[containers.count - 1] = .object(names: names, size: size)
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
    try !closes(with: UInt8(ascii: "]"))
  }

  /// Reads a whole number of 64 bits; one with a fraction or an exponent is invalid data.
  package func integer() throws(VaultError) -> Int64 {
    try require(.number)
    guard let number = try wholeNumber() else {
      throw invalid("not a whole number, or one that is too large")
    }
    return number
  }

  /// Reads a number; nil if it is not whole or has more than 64 bits.
  package func wholeNumber() throws(VaultError) -> Int64? {
    try require(.number)
    let number = try readNumber()
    return number.isWhole ? number.value : nil
  }

  /// Reads a number without its fraction; nil if it has an exponent or more than 64 bits.
  package func truncatedNumber() throws(VaultError) -> Int64? {
    try require(.number)
    return try readNumber().value
  }

  package func boolean() throws(VaultError) -> Bool {
    try require(.boolean)
    let isTrue = try peek() == UInt8(ascii: "t")
    try word(isTrue ? "true" : "false")
    return isTrue
  }

  /// Takes `null` and returns true, or takes nothing and returns false.
  package func isNull() throws(VaultError) -> Bool {
    guard try kind() == .null else { return false }
    try word("null")
    return true
  }

  /// Reads a string as text.
  package func string() throws(VaultError) -> String {
    try require(.string)
    return try readText(limit: limits.string)
  }

  /// Reads a string as a secret, which is in no other memory.
  package func secret() throws(VaultError) -> Secret {
    try require(.string)
    try readString(limit: limits.string)
    return text.secret(0..<text.count)
  }

  /// Reads a value of any kind, with all that it holds, and drops it.
  package func skip() throws(VaultError) {
    switch try kind() {
    case .object:
      try beginObject()
      while try nextName() != nil { try skip() }
    case .array:
      try beginArray()
      while try nextElement() { try skip() }
    case .string:
      try require(.string)
      try readString(limit: nil)
    case .number: _ = try wholeNumber()
    case .boolean: _ = try boolean()
    case .null: _ = try isNull()
    }
  }

  /// Reads a value of any kind and drops it, and returns whether it was `null`.
  package func skipNull() throws(VaultError) -> Bool {
    if try isNull() { return true }
    try skip()
    return false
  }

  /// Begins a record: everything up to ``endRecord()`` is within the limit of a record.
  package func beginRecord() {
    recordEnd = source.offset + limits.record
  }

  package func endRecord() {
    recordEnd = .max
  }

  /// Requires that nothing but white space follows the document.
  package func finish() throws(VaultError) {
    try skipSpace()
    guard try peek() == nil else { throw invalid("something follows the document") }
  }

  private func require(_ kind: Kind) throws(VaultError) {
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
    guard containers.count < limits.depth else {
      throw tooLarge("more than \(limits.depth) objects and arrays inside one another")
    }
    _ = try take()
    containers.append(container)
    needsComma = false
  }

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

  private func word(_ word: String) throws(VaultError) {
    needsComma = true
    for byte in word.utf8 {
      guard try take() == byte else { throw invalid("no value begins with this") }
    }
  }
}
