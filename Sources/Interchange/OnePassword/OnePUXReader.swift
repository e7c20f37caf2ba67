import SecureMemory
import VaultModel

/// Reads 1Password's export 1PUX: a zip file with the document `export.data`.
///
/// - Source: <https://support.1password.com/1pux-format/>.
struct OnePUXReader: EntryReader {
  private enum State {
    case document, accounts, account, vaults, vault, items
  }

  private let json: JSONReader
  private let options: ReadingOptions
  private var state = State.document
  private var hasAccounts = false
  /// The name of the current vault, once it was read.
  private var folder = ""
  private var count = 0

  /// - Throws: As ``ZipMember/open(_:in:limit:)``.
  init(_ source: ByteSource, _ options: ReadingOptions) throws(VaultError) {
    json = JSONReader(try ZipMember.open("export.data", in: source))
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
          return nil
        }
        try enter(name, "accounts", .accounts)
      case .accounts: try element(.account, after: .document)
      case .account: try member("vaults", .vaults, after: .accounts)
      case .vaults: try element(.vault, after: .account)
      case .vault:
        if let name = try json.nextName() {
          if name == "attrs" { try readAttributes() } else { try enter(name, "items", .items) }
        } else {
          state = .vaults
        }
      case .items:
        if try json.nextElement() {
          count += 1
          var item = OnePUXItem(json, .entry(count), folder: folder, options)
          return try item.read()
        }
        state = .vault
      }
    }
  }

  /// Begins the next object of an array, or goes back behind the array.
  private mutating func element(_ inside: State, after: State) throws(VaultError) {
    guard try json.nextElement() else {
      state = after
      return
    }
    try json.beginObject()
    folder = ""
    state = inside
  }

  private mutating func member(
    _ wanted: String, _ inside: State, after: State
  ) throws(VaultError) {
    if let name = try json.nextName() {
      try enter(name, wanted, inside)
    } else {
      state = after
    }
  }

  /// Begins the array of a member if it is the one that is wanted, and skips another one.
  private mutating func enter(
    _ name: String, _ wanted: String, _ inside: State
  ) throws(VaultError) {
    guard name == wanted else { return try json.skip() }
    try json.beginArray()
    if inside == .accounts { hasAccounts = true }
    state = inside
  }

  private mutating func readAttributes() throws(VaultError) {
    var folder = ""
    json.beginRecord()
    try json.members { (name) throws(VaultError) in
      if name == "name" { folder = try json.textIfString() ?? "" } else { try json.skip() }
    }
    json.endRecord()
    self.folder = folder
  }
}
