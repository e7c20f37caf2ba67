import SecureMemory
import VaultModel

/// An entry of a JSON or XML document while it is read.
///
/// A value that the draft refuses, such as an address that is none, rejects the entry and not the
/// file, and the rest of the entry is still read.
struct EntryFields {
  var draft: EntryDraft
  private var problem: VaultError?

  init(_ place: Place, path: Address.PathMeaning, _ options: ReadingOptions) {
    draft = EntryDraft(place, path: path, options)
  }

  mutating func addAddress(_ address: Secret) {
    do throws(VaultError) {
      try address.withRawBytes { (bytes) throws(VaultError) in try draft.addAddress(bytes) }
    } catch {
      problem = problem ?? error
    }
  }

  /// Adds an address by which a password manager finds the page, which need not be one.
  mutating func addPattern(_ pattern: Secret) {
    guard let text = text(pattern, "address") else { return }
    draft.remark(.addressKeptAsText)
    draft.addCustom("address pattern", text)
  }

  mutating func setTitle(_ title: Secret) {
    if let text = text(title, "title") { draft.title = text }
  }

  mutating func addComment(_ comment: Secret?) {
    comment?.withRawBytes { draft.addComment($0) }
  }

  mutating func setAccount(_ account: Secret) {
    if let text = text(account, "account") { draft.account = text }
  }

  /// Adds a name that is the account if there is no other.
  mutating func addOtherAccount(_ name: String, _ value: Secret) {
    if let text = text(value, "account") { draft.otherAccounts.append((name, text)) }
  }

  mutating func addCustom(_ name: String, _ value: Secret, isSecret: Bool) {
    guard !isSecret else { return draft.addSecret(name, value) }
    do throws(VaultError) {
      try value.withRawBytes { (bytes) throws(VaultError) in try draft.addCustom(name, bytes) }
    } catch {
      problem = problem ?? error
    }
  }

  /// Keeps a value of any kind, with all that it holds: texts as further secrets, numbers and flags
  /// as custom attributes; null, 0 and false are passed over.
  mutating func addSecrets(_ name: String, _ json: JSONReader) throws(VaultError) {
    switch try json.kind() {
    case .string: draft.addSecret(name, try json.secret())
    case .boolean: if try json.boolean() { draft.addCustom(name, "true") }
    case .number:
      guard let number = try json.wholeNumber() else { return draft.remark(.otherField, name) }
      if number != 0 { draft.addCustom(name, String(number)) }
    case .null: try json.skip()
    case .object:
      try json.members { (member) throws(VaultError) in
        try addSecrets("\(name) \(member)", json)
      }
    case .array:
      var count = 0
      try json.elements { () throws(VaultError) in
        count += 1
        try addSecrets(count == 1 ? name : "\(name) \(count)", json)
      }
    }
  }

  /// Adds a secret that the entry had before.
  mutating func addPrevious(_ secret: Secret?, replaced: Timestamp?) {
    guard let secret, secret.count > 0 else { return }
    guard let replaced else { return draft.addSecret("previous password", secret) }
    draft.addPrevious(secret, replaced: replaced)
  }

  /// Sets the times; one that is malformed counts as absent.
  mutating func setCreated(_ text: String?) { draft.created = Self.time(text) }
  mutating func setModified(_ text: String?) { draft.modified = Self.time(text) }

  /// Leaves the entry out, for the first of several reasons.
  mutating func exclude(_ reason: Exclusion?) { draft.exclusion = draft.exclusion ?? reason }

  mutating func reject(_ error: VaultError) { problem = problem ?? error }

  /// Returns the entry; one that is left out is not also rejected.
  consuming func entry() -> Entry {
    guard let problem, draft.exclusion == nil else { return draft.entry() }
    return draft.entry(rejectedBy: problem)
  }

  private mutating func text(_ secret: Secret, _ part: StaticString) -> String? {
    do throws(VaultError) {
      return try secret.withRawBytes { (bytes) throws(VaultError) in try Bytes.text(bytes, part) }
    } catch {
      problem = problem ?? error
      return nil
    }
  }

  private static func time(_ text: String?) -> Timestamp? {
    do throws(VaultError) {
      return try text.map { (text) throws(VaultError) in try Timestamp(rfc3339: text) }
    } catch {
      return nil
    }
  }
}

// Values of documents that other programs write: one of another kind than expected counts as
// absent.
extension JSONReader {
  /// Reads a string as text; skips any other value and returns nil.
  func textIfString() throws(VaultError) -> String? {
    guard try kind() == .string else {
      try skip()
      return nil
    }
    return try string()
  }

  /// Reads a string as a secret; skips any other value and returns nil.
  func secretIfString() throws(VaultError) -> Secret? {
    guard try kind() == .string else {
      try skip()
      return nil
    }
    return try secret()
  }

  /// Reads a whole number; skips any other value and returns nil.
  func numberIfAny() throws(VaultError) -> Int64? {
    guard try kind() == .number else {
      try skip()
      return nil
    }
    return try wholeNumber()
  }

  /// Reads true or false; skips any other value and returns false.
  func isTrue() throws(VaultError) -> Bool {
    guard try kind() == .boolean else {
      try skip()
      return false
    }
    return try boolean()
  }

  /// Reads an object member by member; skips any other value.
  func members(
    _ body: (String) throws(VaultError) -> Void
  ) throws(VaultError) {
    guard try kind() == .object else {
      try skip()
      return
    }
    try beginObject()
    while let name = try nextName() { try body(name) }
  }

  /// Reads an array element by element; skips any other value.
  func elements(
    _ body: () throws(VaultError) -> Void
  ) throws(VaultError) {
    guard try kind() == .array else {
      try skip()
      return
    }
    try beginArray()
    while try nextElement() { try body() }
  }
}
