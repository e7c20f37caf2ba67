import VaultModel

/// The items of a document in JSON that come after what they refer to, such as folders.
struct JSONItems {
  private enum State {
    case members, items
  }

  /// The next part of a document.
  enum Next {
    /// An item, which is then to be read.
    case item
    /// A part beside the items.
    case other(Entry)
    case end
  }

  let json: JSONReader
  private let program: StaticString
  private var state = State.members
  private var hasItems = false

  /// - Parameters:
  ///   - source: The document.
  ///   - program: The program that wrote it, for errors.
  init(_ source: ByteSource, of program: StaticString) {
    json = JSONReader(entriesOf: source)
    self.program = program
  }

  /// Goes to the next item, and calls `readMember` with the name of each other member on the way,
  /// which it reads, and whose entry it returns if it is to be told.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` at the end of a document without `items`; any error
  ///   of the reader.
  mutating func next(
    _ readMember: (String) throws(VaultError) -> Entry?
  ) throws(VaultError) -> Next {
    while true {
      switch state {
      case .members:
        guard let name = try json.nextMember() else {
          guard hasItems else {
            throw VaultError(.invalidData, "no items: this is no export of \(program) as JSON")
          }
          return .end
        }
        // A program that appends to its file may write them twice.
        guard json.lastName == "items" else {
          if let entry = try readMember(name) { return .other(entry) }
          continue
        }
        try json.beginArray()
        (state, hasItems) = (.items, true)
      case .items:
        if try json.nextElement() { return .item }
        state = .members
      }
    }
  }
}
