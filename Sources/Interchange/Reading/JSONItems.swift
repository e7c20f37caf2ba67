import VaultModel

/// The items of a document in JSON that come after what they refer to, such as folders.
struct JSONItems {
  private enum State {
    case members, items
  }

  let json: JSONReader
  private let program: StaticString
  private var state = State.members
  private var hasItems = false

  /// - Parameters:
  ///   - source: The document.
  ///   - program: The program that wrote it, for errors.
  init(_ source: ByteSource, of program: StaticString) {
    json = JSONReader(source)
    self.program = program
  }

  /// Goes to the next item, which is then to be read, and calls `readMember` with the name of each
  /// other member on the way, which it reads.
  ///
  /// - Returns: Whether there is one.
  /// - Throws: ``VaultError/Code/invalidData`` at the end of a document without `items`; any error
  ///   of the reader.
  mutating func next(
    _ readMember: (String) throws(VaultError) -> Void
  ) throws(VaultError) -> Bool {
    while true {
      switch state {
      case .members:
        guard let name = try json.nextMember() else {
          guard hasItems else {
            throw VaultError(.invalidData, "no items: this is no export of \(program) as JSON")
          }
          return false
        }
        guard name == "items" else {
          try readMember(name)
          continue
        }
        try json.beginArray()
        (state, hasItems) = (.items, true)
      case .items:
        if try json.nextElement() { return true }
        state = .members
      }
    }
  }
}
