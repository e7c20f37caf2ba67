import VaultModel

/// The names of folders by their ids, as a file lists them before its entries.
struct FolderNames {
  private static let most = 100_000
  private static let longest = 4096
  private static let deepest = 32
  private var folders: [String: (name: String, parent: String)] = [:]

  /// The folder's path from the root; nil if it is not known.
  subscript(id: String) -> String? {
    var (names, id): ([String], String) = ([], id)
    while let folder = folders[id], names.count < Self.deepest {
      names.insert(folder.name, at: 0)
      id = folder.parent
    }
    return names.isEmpty ? nil : names.joined(separator: "/")
  }

  /// Notes a folder, which may be inside another; returns false for too many folders, or too long a
  /// name.
  mutating func add(_ id: String, _ name: String, in parent: String = "") -> Bool {
    guard folders.count < Self.most, name.utf8.count <= Self.longest else { return false }
    folders[id] = (name, parent)
    return true
  }

  /// Notes the folders of an array of objects with these members, and returns the array as rejected
  /// if entries will have the id of one in the place of its name.
  mutating func add(
    _ json: JSONReader, id: String, name: String, parent: String = ""
  ) throws(VaultError) -> Entry? {
    var names = self
    let (place, title) = (Place.line(json.line), json.lastName)
    var isWhole = true
    try json.elements { () throws(VaultError) in
      json.beginRecord()
      var texts: [String: String] = [:]
      try json.members { (member) throws(VaultError) in
        guard [id, name, parent].contains(member) else { return try json.skip() }
        texts[member] = try json.textIfString()
      }
      let faults = json.endRecord()
      if faults.problem != nil { isWhole = false }
      if let id = texts[id], let name = texts[name] {
        isWhole = names.add(id, name, in: texts[parent] ?? "") && isWhole
      }
    }
    self = names
    guard !isWhole else { return nil }
    return Entry(place, .rejected("too many, or one whose name cannot be read"), title: title)
  }
}
