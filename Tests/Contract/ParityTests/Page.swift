import Foundation
import ProgramTesting

/// `Documentation/keychain-parity.md`, as generated from the rows.
enum Page {
  static let path = "Documentation/keychain-parity.md"

  static var text: String {
    let runs = Row.all.map { row in Setup.allCases.filter { row.run(in: $0) != nil }.count }
    let head = """
      # Parity with the keychain

      What differs for code that uses Apple's keychain, by the sources that Apple publishes. *Vault* is
      Swift and native C (`vault.h`, `vault_tls.h`), *compatible* the C functions with Apple's interface
      (`vault_keychain.h`, `vault_sectrust.h`), where `errSecX` is `errVaultX` and an invalid argument
      errSecParam. An interface that a row does not name behaves as Apple's, or has no words for it; –
      is for both.

      `VAULT_WRITE_PAGES=1 swift test --filter ParityTests` writes this page after \(runs.reduce(0, +))
      runs of its \(Row.all.count) statements, of items of the file and of the session.

      """
    let sections = Section.allCases.map { section in
      let rows = Row.all.filter { $0.section == section }
      return "\n## \(section.title)\n\n" + different(rows.filter { !$0.why.isEmpty })
        + same(rows.filter(\.why.isEmpty))
    }
    return head + sections.joined() + "\n" + removals + "\n" + functions + "\n" + points
  }

  /// What each way to remove an item or replace a secret leaves in the vault.
  private static var removals: String {
    """
    ## Deleting deletes

    | removed or replaced by | leaves in the vault |
    |---|---|
    | `SecItemDelete`, `SecKeychainItemDelete`, `URLCredentialStorage.remove`, Docker's `erase`, the Secret Service's `Delete` | nothing, nor previous secrets |
    | `SecItemUpdate`, `SecKeychainItemModifyContent`, `SecKeychainItemModifyAttributesAndData` with a new secret | no secret but the new one |
    | Docker's `store`, the Secret Service's `SetSecret` and `CreateItem`, `URLCredentialStorage.set` | the replaced secret in the item's history; another user's item, which Docker's `store` replaces, in the trash |
    | `vaultctl rm`, Git's `erase`, a program that tells the vault of a refused login | the item in the trash, with its history, for 30 days |
    | `vaultctl rm --for-good` | nothing |
    | `vault.remove`, `vault.modify` and the other functions of Swift | what `removal:` says; `.recoverable` unless it is named |

    After `vaultctl trash --for-programs yes`, a vault keeps what programs remove and replace by the
    first two rows, as for a person.

    The log says for 90 days which account of which server was removed, when and by which program
    (`vaultctl log --keep`). Backups have the item, and merging one brings it back. The replicas of a
    [fleet](fleet.md) lose it when they sync; PostgreSQL's files have the sealed row until they are
    vacuumed, its backups and archived logs longer.

    """
  }

  /// The functions of Apple's headers, and which of them C programs have.
  private static var functions: String {
    """
    ## The functions

    C programs have these by Apple's names, with the folder `compat` on the include path; any other
    does not compile. Constants such as `kSecClass` and `CFSTR("text")` initialise static variables;
    without optimisation equal ones can be two objects, so a dictionary needs the callbacks for its
    keys. All `errSec` numbers are there. For Go, `-DVAULT_INTEGER_REFERENCES` in `CGO_CFLAGS` makes
    references `uintptr` and constants variables, as cgo has them on Apple's systems; a package then
    needs its build tags changed, and no frameworks.

    """
      + "\n| header | provided | absent |\n|---|---|---|\n"
      + AppleFunction.headers.map { header in
        line([
          "`<\(header.name)>`", provided(header),
          names(header.functions.filter { $0.state == .absent }),
        ])
      }.joined()
  }

  /// Returns the functions that a header has; CoreFoundation's are those that it declares.
  private static func provided(_ header: (name: String, functions: [AppleFunction])) -> String {
    let present = header.functions.filter { $0.state != .absent }
    guard header.name.hasPrefix("CoreFoundation") else { return names(present) }
    return "\(present.count) functions, which the header declares, among them "
      + names(present.filter { !$0.note.isEmpty })
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

  /// Returns a table of rows that differ, with one line for those with the same answers.
  private static func different(_ rows: [Row]) -> String {
    let groups = grouped(rows) { [here($0), $0.why] }
    return rows.isEmpty
      ? ""
      : "| Apple's keychain | here | why |\n|---|---|---|\n"
        + groups.map { apple, row in line([apple, here(row), row.why]) }.joined()
  }

  /// Returns a list of rows whose behaviour is Apple's wherever there are words for it.
  private static func same(_ rows: [Row]) -> String {
    guard !rows.isEmpty else { return "" }
    let items = grouped(rows) { [$0.withoutSubject] }.map { "- \($0.apple)\n" }
    return "\nAs on Apple's systems:\n\n" + items.joined()
  }

  /// Returns the statements of rows that are alike; one that is made of several attributes once.
  private static func grouped(
    _ rows: [Row], by answers: (Row) -> [String]
  ) -> [(apple: String, row: Row)] {
    rows.compactMap { row in
      let family = rows.filter { answers($0) == answers(row) }
      guard family.first?.id == row.id else { return nil }
      let statements = family.enumerated().filter { index, other in
        !family.prefix(index).contains { $0.withoutSubject == other.withoutSubject }
      }.map { _, first in
        let others = family.filter {
          $0.id != first.id && $0.withoutSubject == first.withoutSubject
        }
        let names = others.compactMap(\.subject).map { "\($0)" }
        return first.apple
          + (names.isEmpty ? "" : " Likewise \(names.joined(separator: ", ")).")
      }
      return (statements.joined(separator: " "), row)
    }
  }

  /// Returns the answers of both interfaces, named unless they are one.
  private static func here(_ row: Row) -> String {
    switch (row.vault.relation, row.compatible.relation) {
    case (.differs(let vault), .differs(let compatible)):
      vault == compatible ? vault : "*vault*: \(vault) *compatible*: \(compatible)"
    case (.differs(let vault), _): "*vault*: \(vault)"
    case (_, .differs(let compatible)): "*compatible*: \(compatible)"
    default: "–"
    }
  }

  /// The weaknesses that are not mended in both interfaces.
  private static var points: String {
    let kept = Weakness.all.filter { $0.vault == .kept || $0.compatible == .kept }.map { point in
      let isBoth = point.vault == point.compatible
      let place = isBoth ? "" : " (*\(point.vault == .kept ? "vault" : "compatible")*)"
      return "- \(point.apple.dropLast())\(place)\n"
    }
    return """
      ## Known weaknesses

      Of \(Weakness.all.count) weaknesses of Apple's keychain
      (`Tests/Contract/ParityTests/Weakness.swift`), these are kept, because programs rely on them or
      they do no harm:

      \(kept.joined())
      """
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

  /// Its statement, with a gap for the attribute.
  fileprivate var withoutSubject: String {
    subject.map { apple.replacing($0.apple, with: "…") } ?? apple
  }
}
