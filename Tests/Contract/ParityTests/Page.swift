import Foundation
import ProgramTesting

/// `Documentation/keychain-parity.md`, as generated from the rows.
enum Page {
  static let path = "Documentation/keychain-parity.md"

  static var text: String {
    let runs = Row.all.map { row in Setup.allCases.filter { row.run(in: $0) != nil }.count }
    let head = """
      # Parity with the keychain

      What differs for code that uses Apple's keychain. Each row is one behaviour of Apple's, by the
      sources that Apple publishes. *Vault* is Swift and native C (`vault.h`, `vault_tls.h`),
      *compatible* the C functions with Apple's interface (`vault_keychain.h`, `vault_sectrust.h`),
      where `errSecX` is `errVaultX`. **=** behaves as Apple's; – has no words for it, or vaults
      have no such thing.

      The tests write this page: `VAULT_WRITE_PAGES=1 swift test --filter ParityTests`. They run its
      \(Row.all.count) rows through Swift, native C and compatible C, with items of the file and of
      the session, wherever that is possible: \(runs.reduce(0, +)) runs. `Tests/Contract/ParityTests`
      says why one is left out.

      """
    let sections = Section.allCases.map { section in
      let rows = Row.all.filter { $0.section == section }
      return "\n## \(section.title)\n\n" + different(rows.filter { !$0.why.isEmpty })
        + same(rows.filter(\.why.isEmpty), isAlone: rows.allSatisfy(\.why.isEmpty))
    }
    return head + sections.joined() + "\n" + removals + "\n" + functions + "\n" + points
  }

  /// What each way to remove an item or replace a secret leaves in the vault.
  private static var removals: String {
    """
    ## Deleting deletes

    A program that deletes an item by one of the first three rows gets what Apple's keychain gives: a
    logout that deletes its token does not leave it for whoever opens the vault next month.

    | removed or replaced by | leaves in the vault |
    |---|---|
    | `SecItemDelete`, `SecKeychainItemDelete`, `URLCredentialStorage.remove` | nothing: the item leaves the file at once, and its previous secrets with it |
    | `SecItemUpdate`, `SecKeychainItemModifyContent`, `SecKeychainItemModifyAttributesAndData` with a new secret | nothing of the replaced secret, and nothing of those before it |
    | Docker's `erase`, the Secret Service's `Delete` of an item or a collection | nothing, as the first row |
    | Docker's `store`, the Secret Service's `SetSecret` and `CreateItem`, `URLCredentialStorage.set` | the replaced secret in the item's history; another user's item, which Docker's `store` replaces, in the trash |
    | `vaultctl rm`, Git's `erase`, a program that tells the vault of a refused login | the item in the trash, with its history, for 30 days |
    | `vaultctl rm --for-good` | nothing, as the first row |
    | `vault.remove`, `vault.modify` and the other functions of Swift | what `removal:` says; `.recoverable` unless it is named |

    `vaultctl trash --for-programs yes` makes one vault keep what the first three rows remove and
    replace, as if a person had done it.

    The log still says for 90 days that an item of this account and server was removed, when and by
    which program (`vaultctl log --keep`). Copies of the file are not changed: a backup has the item,
    and merging a copy that has it brings it back. In a [fleet](fleet.md), the next sync of each
    replica removes it there. The server replaces the sealed row at once, but PostgreSQL's own files
    have the old one until they are vacuumed, and its backups and archived logs for as long as they
    are kept.

    """
  }

  /// The functions of Apple's headers, and which of them C programs have.
  private static var functions: String {
    """
    ## The functions

    Programs in C have these functions by Apple's names, with the folder `compat` on the include
    path. An *absent* one does not compile, and neither does any that the row of its header does not
    name. Constants such as `kSecClass` and `CFSTR("text")` have addresses and initialise static
    variables; in files that are compiled without optimisation, equal constants can be two objects,
    so a dictionary needs the callbacks for its keys. All `errSec` numbers of Apple's open header
    are there. For Go, `-DVAULT_INTEGER_REFERENCES` in `CGO_CFLAGS` makes all references Go's
    `uintptr`, as cgo has them on Apple's systems, and the constants variables that it can name. A
    package then needs its build tags changed, and no frameworks.

    """
      + "\n| header | provided | absent |\n|---|---|---|\n"
      + AppleFunction.headers.map { header in
        line([
          "`<\(header.name)>`", names(header.functions.filter { $0.state != .absent }),
          absent(header.functions.filter { $0.state == .absent }),
        ])
      }.joined()
  }

  /// Returns what is said of the functions that a header lacks.
  private static func absent(_ functions: [AppleFunction]) -> String {
    functions.isEmpty ? "Every other one." : names(functions) + " Every other one."
  }

  /// Returns the names of functions, those with one note together.
  private static func names(_ functions: [AppleFunction]) -> String {
    let notes = functions.reduce(into: [String]()) { notes, function in
      if !notes.contains(function.note) { notes.append(function.note) }
    }
    return notes.sorted { $0.isEmpty && !$1.isEmpty }.map { note in
      let names = functions.filter { $0.note == note }.map { "`\($0.name)`" }
      return names.joined(separator: ", ") + (note.isEmpty ? "." : ": \(note)")
    }.joined(separator: " ")
  }

  private static func different(_ rows: [Row]) -> String {
    rows.isEmpty
      ? ""
      : "| row | Apple's keychain | vault | compatible | why |\n|---|---|---|---|---|\n"
        + grouped(rows).map { id, row, apple in
          line([id, apple, words(row.vault), words(row.compatible), row.why])
        }.joined()
  }

  /// Returns the rows whose behaviour is Apple's wherever there are words for it.
  private static func same(_ rows: [Row], isAlone: Bool) -> String {
    rows.isEmpty
      ? ""
      : (isAlone ? "" : "\n") + "| row | as on Apple's systems |\n|---|---|\n"
        + grouped(rows).map { id, _, apple in line([id, apple]) }.joined()
  }

  /// Returns one entry for rows that say the same of several attributes, and else each row.
  private static func grouped(_ rows: [Row]) -> [(id: String, row: Row, apple: String)] {
    rows.compactMap { row in
      let family = rows.filter { $0.withoutSubject == row.withoutSubject }
      guard family.count > 2 else { return ("`\(row.id)`", row, row.apple) }
      guard family.first?.id == row.id else { return nil }
      let others = family.dropFirst().compactMap(\.subject).map { "\($0)" }
      return ("`\(row.id)`", row, "\(row.apple) Likewise \(others.joined(separator: ", ")).")
    }
  }

  /// The weaknesses that are not mended in both interfaces.
  private static var points: String {
    func left(_ verdict: Weakness.Verdict) -> String {
      Weakness.all.filter { $0.vault == verdict || $0.compatible == verdict }.map { point in
        let isBoth = point.vault == point.compatible
        let place = isBoth ? "" : " (*\(point.vault == verdict ? "vault" : "compatible")*)"
        return "- \(point.apple.dropLast())\(place)\n"
      }.joined()
    }
    return """
      ## Known weaknesses

      Of \(Weakness.all.count) known weaknesses of Apple's keychain, which
      `Tests/Contract/ParityTests/Weakness.swift` lists with the rows that show each, these are kept,
      because programs rely on them or they do no harm:

      \(left(.kept))
      These concern what vaults, or one of the two interfaces, do not have:

      \(left(.foreign))
      """
  }

  fileprivate static func words(_ answer: Answer) -> String {
    switch answer.relation {
    case .same: "**=**"
    case .differs(let text): text
    case .inexpressible, .doesNotApply: "–"
    }
  }

  private static func line(_ cells: [String]) -> String {
    "| " + cells.map { $0.isEmpty ? " " : $0.replacing("|", with: "\\|") }.joined(separator: " | ")
      + " |\n"
  }

  /// Writes the page to its file.
  static func write() throws {
    try text.write(to: Project.root.appending(path: path), atomically: true, encoding: .utf8)
  }
}

extension Row {
  /// The attribute that its name and its statement name.
  fileprivate var subject: Attribute? {
    let parts = id.split(separator: ".").map(String.init)
    return Attribute.allCases.first { parts.contains("\($0)") && apple.contains($0.apple) }
  }

  /// Its parts on the page, with a gap for the attribute.
  fileprivate var withoutSubject: [String] {
    let texts = [Page.words(vault), Page.words(compatible), why]
    guard let subject else { return [id, apple] + texts }
    return [id.replacing("\(subject)", with: "…"), apple.replacing(subject.apple, with: "…")]
      + texts
  }
}
