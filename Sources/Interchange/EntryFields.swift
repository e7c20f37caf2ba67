import SecureMemory
import VaultModel

/// An entry of a JSON or XML document while it is read.
///
/// A value that the draft refuses, such as an address that is none, rejects the entry and not the
/// file, and the rest of the entry is still read.
struct EntryFields {
  var draft: EntryDraft
  /// The ids of the attachments that were named.
  var attachments: [String] = []
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

  /// Adds a secret that the entry had before.
  mutating func addPrevious(_ secret: Secret?, replaced: Timestamp?) {
    guard let secret, secret.count > 0 else { return }
    guard let replaced else { return draft.addSecret("previous password", secret) }
    draft.addPrevious(secret, replaced: replaced)
  }

  /// Returns the time of a text; one in another form is kept as text.
  mutating func time(_ name: String, _ text: String?) -> Timestamp? {
    guard let text, !text.isEmpty else { return nil }
    if let time = EntryDraft.time(text) { return time }
    draft.addCustom(name, text)
    return nil
  }

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
}
