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

  mutating func addComment(_ comment: Secret) {
    if let text = text(comment, "comment") { draft.addComment(text) }
  }

  mutating func setAccount(_ account: Secret) {
    if let text = text(account, "account") { draft.account = text }
  }

  mutating func addCustom(_ name: String, _ value: Secret, isSecret: Bool) {
    guard value.count > 0 else { return }
    if isSecret || EntryDraft.isSecret(name) {
      // Nothing of the value becomes text.
      draft.remark(.secretField, name)
    } else if let text = text(value, "field") {
      draft.addCustom(name, text)
    }
  }

  /// Sets the times; one that is malformed counts as absent.
  mutating func setCreated(_ text: String?) { draft.created = Self.time(text) }
  mutating func setModified(_ text: String?) { draft.modified = Self.time(text) }

  /// Leaves the entry out, for the first of several reasons.
  mutating func exclude(_ reason: Exclusion?) { draft.exclusion = draft.exclusion ?? reason }

  mutating func reject(_ error: VaultError) { problem = problem ?? error }

  /// Returns the entry; one that is left out is not also rejected.
  func entry() -> Entry {
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

  /// Reads a value of any kind and drops it, and returns whether it says nothing: null, false, 0, an
  /// empty text, or an object or array of such values.
  func skipEmpty() throws(VaultError) -> Bool {
    switch try kind() {
    case .null: return try isNull()
    case .boolean: return try !boolean()
    case .number: return try wholeNumber() == 0
    case .string: return try secret().count == 0
    case .array:
      var isEmpty = true
      try elements { () throws(VaultError) in if try !skipEmpty() { isEmpty = false } }
      return isEmpty
    case .object:
      var isEmpty = true
      try members { (_) throws(VaultError) in if try !skipEmpty() { isEmpty = false } }
      return isEmpty
    }
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
