import Glibc
import SecureMemory
import VaultModel

/// One end of the socket between a vault and the program that orders its writes.
///
/// Each message is a byte with its kind, four bytes with its length, and so many bytes; numbers
/// begin with their lowest byte. Only sealed rows cross it. Not thread-safe.
///
/// Source: `Documentation/fleet.md`, "Ordered writes".
final class ArbiterStream {
  /// The kinds of messages: questions first, then the parts of vaults and answers.
  enum Kind: UInt8 {
    case rows = 1
    case opening, copy, begin, keepLock, commit, abandon, publish
    case head = 16
    case row, end, failure
  }

  /// A row in the vault's file is no longer, and a text much shorter.
  private static let mostBytes = Int(Statement.mostBytesOfRow) + 64
  private static let bufferSize = 64 << 10

  private let input: Int32
  private let output: Int32
  private var unsent: [UInt8] = []
  private var unread: [UInt8] = []
  private var position = 0
  /// Whether the answer to the last question came as a whole: if not, the next one is not known
  /// from its rest.
  private(set) var isOrderly = true

  /// - Parameters:
  ///   - input: A socket, which stays the caller's.
  ///   - output: The same one, or a copy.
  init(input: Int32, output: Int32) {
    (self.input, self.output) = (input, output)
  }

  // MARK: Messages

  /// Sends a question.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if the other end is gone.
  func ask(_ kind: Kind, after generation: UInt64? = nil) throws(VaultError) {
    var body: [UInt8] = []
    if let generation { body.append(generation) }
    isOrderly = false
    try put(kind, body)
    try flush()
  }

  /// Sends rows that are to be stored.
  ///
  /// - Throws: As ``ask(_:after:)``; the other end has not got all of it then, and stores nothing.
  func ask(_ kind: Kind, storing delta: RowDelta) throws(VaultError) {
    isOrderly = false
    try put(kind)
    try put(delta)
    try flush()
  }

  /// Puts a message among those that are sent next.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if the other end is gone.
  func put(_ kind: Kind, _ body: [UInt8] = []) throws(VaultError) {
    unsent.append(kind.rawValue)
    unsent.append(UInt32(body.count))
    unsent += body
    if unsent.count >= Self.bufferSize { try flush() }
  }

  /// Sends what was put.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if the other end is gone.
  func flush() throws(VaultError) {
    var sent = 0
    defer { unsent.removeAll(keepingCapacity: unsent.capacity <= 2 * Self.bufferSize) }
    while sent < unsent.count {
      // The array lives during the call. No signal where the other end is gone: the program that
      // has the vault open did not ask for one.
      let count = unsafe unsent.withUnsafeBytes { bytes in
        unsafe send(
          output, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count >= 0 || errno == EINTR else { throw Self.gone(errno) }
      sent += max(count, 0)
    }
  }

  /// Waits for the next message.
  ///
  /// - Returns: Nil if the other end is gone before it.
  /// - Throws: ``VaultError/Code/damaged`` for what is no message.
  func next() throws(VaultError) -> (kind: Kind, body: [UInt8])? {
    guard try fill(5) else { return nil }
    let kind = Kind(rawValue: unread[position])
    let count = Int(UInt32(bytes: unread[(position + 1)..<(position + 5)]))
    guard let kind, count <= Self.mostBytes else {
      throw Self.otherwise
    }
    position += 5
    guard try fill(count) else { return nil }
    defer { position += count }
    return (kind, Array(unread[position..<(position + count)]))
  }

  /// Reads until so many bytes are there; returns whether they are.
  private func fill(_ count: Int) throws(VaultError) -> Bool {
    if unread.count - position >= count { return true }
    unread.removeFirst(position)
    position = 0
    while unread.count < count {
      // No more at once than the buffer, whatever the message claims.
      var part = [UInt8](repeating: 0, count: Self.bufferSize)
      // It writes no more than there is room for.
      let got = unsafe read(input, &part, part.count)
      guard got >= 0 || errno == EINTR else { return false }
      if got == 0 { return false }
      unread += part.prefix(max(got, 0))
    }
    return true
  }

  private static func gone(_ number: Int32) -> VaultError {
    VaultError(
      .unavailable, "the program that orders the vault's writes has ended",
      underlying: .errno(number))
  }

  // MARK: Rows

  /// Puts a vault's rows, with their end.
  func put(_ delta: RowDelta) throws(VaultError) {
    try putHead(delta)
    for row in delta.rows { try put(row) }
    try put(.end)
  }

  func putHead(_ delta: RowDelta) throws(VaultError) {
    var body: [UInt8] = []
    body.append(delta.generation)
    body.append(UInt32(delta.ident.count))
    body += delta.ident + delta.head
    try put(.head, body)
  }

  func put(_ row: RowDelta.Entry) throws(VaultError) {
    var body = [UInt8(row.table.rawValue), row.sealed == nil ? 0 : 1]
    body.append(row.id)
    try put(.row, body + (row.sealed ?? []))
  }

  /// Takes rows until their end.
  ///
  /// - Throws: ``VaultError/Code/damaged``; ``VaultError/Code/unavailable`` if the other end is
  ///   gone before; the error that came instead.
  func takeDelta() throws(VaultError) -> RowDelta {
    var delta: RowDelta?
    try takeRows { (head) throws(VaultError) in
      delta = head
    } row: { (row) throws(VaultError) in
      delta?.rows.append(row)
    }
    guard let delta else { throw Self.otherwise }
    return delta
  }

  /// Takes the head, and the rows after it, as they come.
  ///
  /// - Throws: As ``takeDelta()``; the errors of both.
  func takeRows(
    head: (RowDelta) throws(VaultError) -> Void, row: (RowDelta.Entry) throws(VaultError) -> Void
  ) throws(VaultError) {
    var hasHead = false
    while true {
      guard let (kind, body) = try next() else { throw Self.gone(EPIPE) }
      switch kind {
      case .head where !hasHead && body.count >= 12:
        hasHead = true
        let count = Int(UInt32(bytes: body[8..<12]))
        guard count <= body.count - 12 else { throw Self.otherwise }
        try head(
          RowDelta(
            generation: UInt64(bytes: body[..<8]), ident: Array(body[12..<(12 + count)]),
            head: Array(body[(12 + count)...]), rows: []))
      case .row where hasHead && body.count >= 10:
        guard let table = RowDelta.Table(rawValue: Int16(body[0])), body[1] <= 1 else {
          throw Self.otherwise
        }
        try row(
          RowDelta.Entry(
            table, UInt64(bytes: body[2..<10]), body[1] == 1 ? Array(body[10...]) : nil))
      case .end where hasHead:
        isOrderly = true
        return
      case .failure: throw error(body)
      default: throw Self.otherwise
      }
    }
  }

  // MARK: Answers

  /// Waits for the answer to a question that gets no rows.
  ///
  /// - Throws: The error that it is; as ``takeDelta()``.
  func takeEnd() throws(VaultError) {
    guard let (kind, body) = try next() else { throw Self.gone(EPIPE) }
    switch kind {
    case .end: isOrderly = true
    case .failure: throw error(body)
    default: throw Self.otherwise
    }
  }

  /// Puts an error as the answer.
  func put(_ error: VaultError) throws(VaultError) {
    var body: [UInt8] = []
    body.append(UInt32(bitPattern: error.code.rawValue))
    try put(.failure, body + Array(error.context.utf8.prefix(4096)))
  }

  private func error(_ body: [UInt8]) -> VaultError {
    guard body.count >= 4 else { return Self.otherwise }
    isOrderly = true
    return VaultError(
      VaultError.Code(rawValue: Int32(bitPattern: UInt32(bytes: body[..<4]))),
      String(decoding: body[4...], as: UTF8.self)
    ).about(.arbiter)
  }

  private static var otherwise: VaultError {
    VaultError(.damaged, "the program that orders the vault's writes answers otherwise")
  }
}

extension [UInt8] {
  /// Appends a number, its lowest byte first.
  mutating func append(_ number: some FixedWidthInteger) {
    for shift in stride(from: 0, to: number.bitWidth, by: 8) {
      append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}

extension FixedWidthInteger {
  /// The number that bytes are, its lowest one first.
  init(bytes: ArraySlice<UInt8>) {
    self = bytes.reversed().reduce(0) { $0 << 8 | Self($1) }
  }
}
