import SecureMemory
package import VaultModel

/// The result of reading one entry of a file: a row, a record, a line or a file of its own.
package struct Entry: Sendable {
  /// The place of the entry in the file.
  package let place: Place
  package let content: Content
  /// The name that it has for people; empty if it has none, or was not read so far.
  package var title: String
  /// The kinds of parts that were not taken over or were assumed, with the names of those parts
  /// that have one.
  package var remarks: [Remark: [String]]
  /// The item with the secrets that the entry has beside its password; empty if it has none.
  package var further: [Item]
  /// Whether the item is the default credential of its space; only our own export tells.
  package var isDefault = false
  /// The secrets that the item had before, the newest first.
  package var previous: [PreviousSecret]
  /// The time at which the item was removed, if it is in the trash; only our own export tells.
  package var removed: Timestamp?

  package enum Content: Sendable {
    /// The items, which keep their times when they are added: more than one if the entry is for
    /// several hosts.
    case items([Item])
    /// The rules of the vault's policy; only our own export has them.
    case policy([PersistencePolicy.Rule])
    /// The entry cannot be taken over: the reason in words, without anything of the entry that
    /// could be a secret.
    case rejected(String)
    /// The entry is not a password that is in use, so nothing is taken over.
    case leftOut(Exclusion)
  }

  /// Whether reading it has left out something that it says, all of it or a part.
  package var lacksSomething: Bool {
    switch content {
    case .rejected: true
    // The file does not have it, or names it with each entry in it.
    case .leftOut(let exclusion): exclusion != .elsewhere && exclusion != .folder
    case .policy: false
    case .items: remarks.keys.contains(where: \.isLoss)
    }
  }

  /// The bytes of all its secrets.
  package var secretCount: Int {
    let items = if case .items(let items) = content { items } else { [Item]() }
    return Self.secretCount(items) + Self.secretCount(further)
      + previous.reduce(0) { $0 + ($1.secret?.count ?? 0) }
  }

  // By index, because an iterator copies each item.
  private static func secretCount(_ items: [Item]) -> Int {
    items.indices.reduce(0) { $0 + (items[$1].secret?.count ?? 0) }
  }

  package init(
    _ place: Place, _ content: Content, title: String = "", remarks: [Remark: [String]] = [:],
    further: [Item] = [], previous: [PreviousSecret] = []
  ) {
    self.place = place
    self.content = content
    self.title = title
    self.remarks = remarks
    self.further = further
    self.previous = previous
  }

  /// The entry as the report tells it for the item with its further secrets.
  package var ofFurtherSecrets: Entry { Entry(place, content, title: title) }

  /// Creates an entry that was rejected by an error.
  package init(_ place: Place, rejectedBy error: VaultError) {
    self.init(place, .rejected(error.text))
  }

  /// The reason to reject the last entry of a file that ends too early.
  static let cut = "the file ends in the middle of it"
  /// The same where every writer of the format ends each line.
  static let cutAtItsEnd = "the file ends in it without a line end; add one if it is whole"
}

/// The place of an entry in its file.
package enum Place: Hashable, Sendable, CustomStringConvertible {
  /// The number, from 1, of the line that the entry begins in.
  case line(Int)
  /// The numbers of the first and the last line of a rejected record, which may hold others that a
  /// quotation mark without an end has swallowed.
  case lines(ClosedRange<Int>)
  /// The number of the entry, from 1, in a format whose lines mean nothing.
  case entry(Int)
  /// The file of the entry, as its path in the folder that is imported; anybody may have named it.
  case file(String)

  /// The place in words; control characters of a file's name are kept.
  package var description: String {
    switch self {
    case .line(let number): "line \(number)"
    case .lines(let numbers): "lines \(numbers.lowerBound)-\(numbers.upperBound)"
    case .entry(let number): "entry \(number)"
    case .file(let path): path
    }
  }
}

/// The reason for which an entry is left out: it holds no password that is in use.
package enum Exclusion: String, CaseIterable, Sendable {
  case empty = "nothing in it"
  case trashed = "in the trash"
  case archived
  case history = "an older version"
  case noPasswordKept = "marked to have no password"
  case everyHost = "for every host"
  /// The file only names the program that has the password.
  case elsewhere = "kept by a credential helper"
  case folder = "a folder"
  /// A part of the file beside its entries, such as a setting of the program.
  case notAnEntry = "not an entry"
  /// A link to another file of a store, which may be anywhere.
  case link = "a link"
  case other = "neither a password nor a note"
}

/// A part of an entry that was not taken over, or was assumed.
package enum Remark: String, CaseIterable, Sendable {
  /// Secrets beside the password: no attribute may show them.
  case furtherSecrets = "further secrets are in an item of their own"
  /// A field that no attribute is for.
  case otherField = "field left out"
  /// Secrets from before, beyond what its policy and its user let it keep.
  case previousSecret = "previous secrets that the vault does not keep"
  case attachment = "attachment left out"
  /// A text with half of a surrogate pair, which no text can have.
  case halfCharacter = "half of a character is there as its escape"
  /// secret-tool writes them to the other stream.
  case attributesMissing = "attributes are missing: repeat secret-tool search with 2>&1"
  case protocolAssumed = "protocol assumed"
  case addressKeptAsText = "address kept as text"
  /// The file is then the only place that still has it.
  case keptForATime = "kept only until its time by a rule of the policy ends"
  /// The file ends in the entry's last part, without a line end: nothing shows whether it is whole.
  case mayBeCut = "the file ends without a line end, and may be cut in its last entry"

  /// Whether something that the file says is not in the vault.
  package var isLoss: Bool {
    switch self {
    case .otherField, .previousSecret, .attachment, .halfCharacter, .attributesMissing: true
    case .furtherSecrets, .protocolAssumed, .addressKeptAsText, .keptForATime, .mayBeCut: false
    }
  }
}

/// Reads the entries of one format, in the order of the file.
package protocol EntryReader {
  /// Returns the next entry; nil at the end.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if the file as a whole is not of the format, so that
  ///   nothing after this place can be read; any error of the source.
  mutating func next() throws(VaultError) -> Entry?
}

/// Whether a file is of a format that has no header: any text could be one of it without entries.
struct Recognition {
  private var (isRecognized, hasText) = (false, false)

  /// Adds a part of the file, which may be the beginning of an entry.
  mutating func add(_ isBeginning: Bool) {
    hasText = true
    if isBeginning { isRecognized = true }
  }

  /// Checks the file at its end.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if it has text, and nothing in it begins an entry: a
  ///   user who deletes a file after its import must not lose what was never read.
  func check(_ format: InterchangeFormat) throws(VaultError) {
    guard hasText, !isRecognized else { return }
    throw VaultError(.invalidData, "nothing in the file is an entry of \(format.rawValue)")
  }
}

/// The limits of what is read, whatever a file says.
package enum InterchangeLimit {
  /// The bytes of one record: a row with all its fields.
  package static let record = 4 << 20
  /// The bytes of one secret.
  package static let secret = 1 << 20
}
