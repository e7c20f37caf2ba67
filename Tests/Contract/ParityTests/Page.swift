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
    return head + sections.joined() + "\n" + functions + "\n" + points
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
