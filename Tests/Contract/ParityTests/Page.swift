import Foundation
import ProgramTesting

/// `Documentation/keychain-parity.md`, as generated from the rows.
enum Page {
  static let path = "Documentation/keychain-parity.md"

  static var text: String {
    let runs = Row.all.map { row in Setup.allCases.filter { row.run(in: $0) != nil }.count }
    let head = """
      # Parity with the keychain

      This page says what differs for code that uses Apple's keychain. Each row is one behaviour
      of Apple's passwords, identities and trust, according to the sources that Apple publishes,
      and ours in two columns: *vault* is Swift and native C (`vault.h`, `vault_tls.h`),
      *compatible* is the C functions with Apple's interface (`vault_keychain.h`,
      `vault_sectrust.h`), where `errSecX` is `errVaultX`.

      The tests write this page: `VAULT_WRITE_PAGES=1 swift test --filter ParityTests`. Each of
      its \(Row.all.count) rows is run wherever it can be expressed, through Swift, native C and \
      compatible C,
      with items of the file and of the session; \(runs.reduce(0, +)) runs in all.

      - **=** behaves as Apple's.
      - *Not in …* says where a row is not run, and why.
      - *Not expressible* means that an interface has no words for it; *does not apply*, that
        vaults have no such thing.

      """
    let sections = Section.allCases.map { section in
      "\n## \(section.title)\n\n" + table(Row.all.filter { $0.section == section })
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
    path. An *absent* one does not compile. Constants such as `kSecClass` and `CFSTR("text")` have
    addresses and initialise static variables. All `errSec` numbers of Apple's open header are
    there. For Go, `-DVAULT_INTEGER_REFERENCES` in `CGO_CFLAGS` makes all references integers of one
    type, as cgo has them on Apple's systems, and the constants variables that it can name. A
    package then needs its build tags changed, and no frameworks.

    """
      + AppleFunction.headers.map { header in
        "\n### `<\(header.name)>`\n\n| function | here | note |\n|---|---|---|\n"
          + header.functions.map { line(["`\($0.name)`", $0.state.rawValue, $0.note]) }.joined()
      }.joined()
  }

  private static func table(_ rows: [Row]) -> String {
    "| row | Apple's keychain | vault | compatible | why |\n|---|---|---|---|---|\n"
      + rows.map { row in
        let cells = [
          cell(row.vault, of: row) { $0 != .keychain },
          cell(row.compatible, of: row) { $0 == .keychain },
        ]
        return line(["`\(row.id)`", row.apple] + cells + [row.why])
      }.joined()
  }

  private static var points: String {
    """
    ## Known weaknesses

    This table lists what a better keychain should do differently, and whether ours does. The rows
    show it.

    | # | Apple's keychain | vault | compatible | ours | rows |
    |---|---|---|---|---|---|

    """
      + Weakness.all.map { point in
        let shown = point.rows.map { "`\($0)`" } + (point.shownBy.map { ["tests: \($0)"] } ?? [])
        return line([
          "\(point.number)", point.apple, point.vault.rawValue, point.compatible.rawValue,
          point.ours, shown.joined(separator: ", "),
        ])
      }.joined()
  }

  /// Returns an answer in words, and the interfaces among its own on which it is not run.
  private static func cell(
    _ answer: Answer, of row: Row, _ isFor: (Interface) -> Bool
  ) -> String {
    let exceptions = answer.sees == nil ? [] : row.exceptionTexts(isFor)
    return ([words(answer)] + exceptions).joined(separator: " ")
  }

  private static func words(_ answer: Answer) -> String {
    switch answer.relation {
    case .same: "**=**"
    case .differs(let text): text
    case .inexpressible(let reason): "*Not expressible:* \(reason)"
    case .doesNotApply: "*Does not apply*"
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
  /// Returns the exceptions of the row among some interfaces, in words.
  fileprivate func exceptionTexts(_ isShown: (Interface) -> Bool) -> [String] {
    exceptions.filter { part, _ in Interface.allCases.contains { isShown($0) && part.concerns($0) }
    }
    .map { part, reason in "*Not \(part.title):* \(reason)." }.sorted()
  }
}

extension Part {
  fileprivate func concerns(_ interface: Interface) -> Bool {
    switch self {
    case .interface(let one), .setup(let one, _): one == interface
    case .store: true
    }
  }

  fileprivate var title: String {
    switch self {
    case .interface(.swift): "in Swift"
    case .interface: "in C"
    case .store(let store), .setup(_, let store): "in the \(store)"
    }
  }
}
