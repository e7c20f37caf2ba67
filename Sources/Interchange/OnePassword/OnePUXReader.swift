import SecureMemory
import VaultModel

/// Reads 1Password's export 1PUX: a zip file with the document `export.data`.
///
/// The other files in it are attachments, `files/ID__NAME`. One that no item names is named.
///
/// - Source: <https://support.1password.com/1pux-format/>.
struct OnePUXReader: EntryReader {
  private enum State {
    case document, accounts, account, vaults, vault, items, files
  }

  private let file: ZipMember
  private let json: JSONReader
  private let options: ReadingOptions
  private var state = State.document
  private var hasAccounts = false
  /// The name of the current vault, once it was read, and what else it says of itself.
  private var folder = (name: "", description: "")
  private var count = 0
  /// The hashes of the ids of attachments that items have named.
  private var named: Set<Int> = []
  /// The files that no item names, the last one first.
  private var unnamed: [Entry] = []

  /// - Throws: As ``ZipMember/init(_:in:limit:)``.
  init(_ source: ByteSource, _ options: ReadingOptions) throws(VaultError) {
    file = try ZipMember("export.data", in: source)
    json = JSONReader(entriesOf: file.content)
    self.options = options
  }

  mutating func next() throws(VaultError) -> Entry? {
    while true {
      switch state {
      case .document:
        guard let name = try json.nextMember() else {
          guard hasAccounts else {
            throw VaultError(.invalidData, "no accounts: this is no export of 1Password")
          }
          unnamed = try readFiles().reversed()
          state = .files
          continue
        }
        if let entry = try enter(name, "accounts", .accounts) { return entry }
      case .accounts: try element(.account, after: .document)
      case .account:
        guard let name = try json.nextName() else {
          state = .accounts
          continue
        }
        // The owner's name, address and picture: of no entry.
        if name == "attrs" {
          try json.skipRecord()
        } else if let entry = try enter(name, "vaults", .vaults) {
          return entry
        }
      case .vaults: try element(.vault, after: .account)
      case .vault:
        guard let name = try json.nextName() else {
          state = .vaults
          continue
        }
        if name == "attrs" {
          try readAttributes()
        } else if let entry = try enter(name, "items", .items) {
          return entry
        }
      case .items:
        if try json.nextElement() {
          count += 1
          var item = OnePUXItem(json, .entry(count), folder: folder, options)
          let entry = try item.read()
          for id in item.attachments { named.insert(id.hashValue) }
          return entry
        }
        state = .vault
      case .files: return unnamed.popLast()
      }
    }
  }

  /// Returns the files beside the document that no item names.
  private func readFiles() throws(VaultError) -> [Entry] {
    var entries: [Entry] = []
    do throws(VaultError) {
      try file.skipOthers()
    } catch {
      guard [.invalidData, .tooLarge, .unsupported].contains(error.code) else { throw error }
      entries.append(Entry(.file("the files behind export.data"), rejectedBy: error))
    }
    for path in file.others where path != "export.attributes" && !path.hasSuffix("/") {
      let name = path.split(separator: "/").last ?? ""
      let id = name.firstRange(of: "__").map { String(name[..<$0.lowerBound]) } ?? String(name)
      guard !named.contains(id.hashValue) else { continue }
      entries.append(Entry(.file(path), .leftOut(.notAnEntry)))
    }
    return entries
  }

  /// Begins the next object of an array, or goes back behind the array.
  private mutating func element(_ inside: State, after: State) throws(VaultError) {
    guard try json.nextElement() else {
      state = after
      return
    }
    try json.beginObject()
    folder = ("", "")
    state = inside
  }

  /// Begins the array of a member if it is the one that is wanted, and returns another one as left
  /// out.
  private mutating func enter(
    _ name: String, _ wanted: String, _ inside: State
  ) throws(VaultError) -> Entry? {
    guard json.lastName == wanted else { return try json.leaveOut(name) }
    try json.beginArray()
    if inside == .accounts { hasAccounts = true }
    state = inside
    return nil
  }

  private mutating func readAttributes() throws(VaultError) {
    var folder = (name: "", description: "")
    json.beginRecord()
    try json.members { (name) throws(VaultError) in
      switch name {
      case "name": folder.name = try json.textIfString() ?? ""
      case "desc": folder.description = try json.textIfString() ?? ""
      // Its id, picture and kind mean nothing elsewhere.
      default: try json.skip()
      }
    }
    json.endRecord()
    self.folder = folder
  }
}
