import SecureMemory
import VaultModel

/// The members of a JSON file's outermost object, and where they stand in it; no value is kept.
struct JSONMembers {
  /// A member: its name, and the places of the name and the value.
  struct Member {
    let name: String
    let start: Int
    let value: Range<Int>

    var whole: Range<Int> { start..<value.upperBound }
  }

  /// The first byte behind the outermost brace.
  let inside: Int
  private(set) var members: [Member] = []

  /// Reads a file.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` for anything but one object.
  init(_ text: Secret) throws(VaultError) {
    let json = JSONReader(ByteSource(text))
    try json.beginObject()
    inside = json.offset
    while let name = try json.nextName() {
      let (start, value) = (json.nameStart, json.offset)
      try json.skip()
      members.append(Member(name: name, start: start, value: value..<json.offset))
    }
    try json.finish()
  }
}
