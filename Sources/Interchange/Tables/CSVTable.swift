import SecureMemory
import VaultModel

/// The columns of a comma-separated format, by the names in its header.
///
/// Programs change the order of their columns, and add some, without notice; a reader must not
/// depend on either.
struct CSVTable: Sendable {
  /// The meaning of a column's fields.
  enum Meaning: Sendable, Equatable {
    case field(EntryField)
    /// A name that is the account if there is no other.
    case otherAccount
    /// The number of a card, an account or a document, which is secret.
    case cardNumber
    /// The kind of the entry, in its program's word.
    case kind
    /// LastPass's address, which also marks notes and folders.
    case markedAddress
    /// Addresses that commas join.
    case addresses
    /// Further addresses, an array in JSON.
    case addressList
    /// Bitwarden's own fields, `name: value`, one a line.
    case fields
    /// NordPass's own fields, an array of objects in JSON.
    case fieldList
    /// RoboForm's form fields, each in a column up to the end of the row.
    case formFields
    /// Keeper's own fields, names and values in turn up to the end of the row.
    case pairs
    /// 1Password's mark of what is no longer used.
    case archived
    /// KeePassXC's group, which can be its recycle bin.
    case group
    /// Buttercup's groups, which are rows of their own before their entries.
    case groupID, groupName, groupParent
    /// Firefox's address that a form is sent to, mostly that of its page.
    case formOrigin
    /// A mark of the program, a custom attribute unless it says 0 or false.
    case mark
    /// One that the format does not have: a custom attribute.
    case other

    /// Whether its fields may be shown, also those of a column before it, if a row is shifted.
    var isShown: Bool {
      switch self {
      case .field(.title), .field(.url), .field(.account), .field(.folder), .field(.tags), .group,
        .kind, .mark, .archived, .groupID, .groupName, .groupParent:
        true
      default: false
      }
    }
  }

  let format: InterchangeFormat
  /// The names in lower case, with their meaning; the first of two that a file has counts.
  let columns: [(name: String, meaning: Meaning)]
  /// The names, in lower case, that only this format has all of.
  let signature: [String]
  /// Whether a file that has other columns, too, is not of the format.
  var isExact = false
  /// Whether the file may begin with its first entry: its columns are then those of the table.
  var mayLackHeader = false
  /// The kind of all entries, if they are no logins; else empty.
  var kind = ""
  var path = Address.PathMeaning.page
  var backslash = CSVRecord.Backslash.literal
  /// Whether a value may be a reference to a field of another entry, as in KeePass.
  var hasReferences = false
  /// Whether its writers also end the last line: others leave that out, as RFC 4180 §2 allows.
  var endsEveryLine = false

  /// Returns the meanings of a header's columns.
  ///
  /// - Parameters:
  ///   - header: The names of the columns, as the file has them.
  ///   - chosen: Fields that the user chose for columns; they come before the table's.
  /// - Returns: As many as there are columns.
  /// - Throws: ``VaultError/Code/invalidData`` if there is no column for the password, or none that
  ///   says what it is for; ``VaultError/Code/invalidArgument`` for a choice of a column that the
  ///   file does not have. No name of the header is repeated: without a header it is a row.
  func meanings(
    of header: [String], _ chosen: [(name: String, field: EntryField)]
  ) throws(VaultError) -> [Meaning] {
    let names = header.map(Self.folded)
    let chosen = chosen.map { (name: Self.folded($0.name), field: $0.field) }
    guard chosen.allSatisfy({ choice in names.contains { $0.hasSameBytes(as: choice.name) } })
    else {
      throw VaultError(
        .invalidArgument, "a field is mapped to a column that the file does not have")
    }
    var taken: Set<String> = []
    var meanings = names.map { name -> Meaning in
      if let choice = chosen.last(where: { $0.name.hasSameBytes(as: name) }) {
        return .field(choice.field)
      }
      guard let column = columns.first(where: { $0.name == name }),
        taken.insert(column.name).inserted
      else { return .other }
      return column.meaning
    }
    // A column that the user chose for a field stands for the table's own.
    let fields = Set(chosen.map(\.field)).subtracting([.custom, .ignored, .url])
    for (index, meaning) in meanings.enumerated() {
      guard case .field(let field) = meaning, fields.contains(field),
        !chosen.contains(where: { $0.name.hasSameBytes(as: names[index]) })
      else { continue }
      meanings[index] = .other
    }
    guard !kind.isEmpty || meanings.contains(.field(.password)),
      meanings.contains(where: {
        [.field(.url), .field(.title), .addresses, .markedAddress].contains($0)
      })
    else { throw noHeader }
    return meanings
  }

  var noHeader: VaultError {
    VaultError(
      .invalidData,
      "line 1 is not the header of \(format.rawValue): it names no column for the password, or"
        + " none for what it is for; --map says which they are")
  }

  /// Returns whether a last line without its end may have been cut in a column's field: behind one
  /// that is mostly empty, Bitwarden itself leaves out the line end.
  static func mayBeCut(_ meaning: Meaning, isEmpty: Bool) -> Bool {
    switch meaning {
    case .field(.ignored): false
    case .field(.oneTimePassword): !isEmpty
    default: true
    }
  }

  /// Returns whether the present record is this format's header.
  func describes(_ records: CSVRecords) -> Bool {
    signature.allSatisfy(records.hasField)
      && (!isExact || records.fields.count == signature.count)
  }

  /// Returns how many columns of a header have a meaning of their own here.
  func knownColumns(of records: CSVRecords) -> Int {
    columns.count { records.hasField($0.name) }
  }

  private static func folded(_ name: String) -> String {
    name.lowercasedASCII.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
  }
}
