import Foundation
import ProgramTesting
import Testing

@Suite("the table of parity")
struct TableTests {
  @Test("no two rows have the same id")
  func ids() {
    let ids = Row.all.map(\.id)
    #expect(Set(ids).count == ids.count)
  }

  @Test("every section has rows that are run", arguments: Section.allCases)
  func sections(_ section: Section) {
    let runs = Case.all.filter { $0.row.section == section }
    #expect(runs.count > 10)
  }

  @Test("every row is run, or says of what vaults have nothing", arguments: Row.all)
  func isRun(_ row: Row) {
    if case .doesNotApply(let reason) = row.vault.relation {
      #expect(!reason.isEmpty && row.scenarios.isEmpty)
    } else {
      #expect(Setup.allCases.contains { row.run(in: $0) != nil })
    }
  }

  @Test("a row is run wherever it says what is seen, but where it says why not", arguments: Row.all)
  func isRunEverywhere(_ row: Row) {
    for setup in Setup.allCases where row.answer(setup.interface).sees != nil {
      let isExcepted = row.exceptions.keys.contains { $0.contains(setup) }
      #expect((row.run(in: setup) != nil) != isExcepted, "\(setup)")
    }
    for (part, reason) in row.exceptions {
      #expect(!reason.isEmpty && Setup.allCases.contains { part.contains($0) })
    }
  }

  @Test("a row says why ours differs, and nothing where it does not", arguments: Row.all)
  func why(_ row: Row) {
    #expect(row.differs == !row.why.isEmpty)
  }

  @Test("each of the 35 known weaknesses has its verdict, and what shows it")
  func points() {
    #expect(Weakness.all.map(\.number) == Array(1...35))
    for point in Weakness.all {
      let rows = point.rows.compactMap { id in Row.all.first { $0.id == id } }
      #expect(rows.count == point.rows.count, "\(point.number): \(point.rows)")
      let isShown = rows.contains { row in Setup.allCases.contains { row.run(in: $0) != nil } }
      let isForeign = point.vault == .foreign && point.compatible == .foreign
      #expect(isShown != isForeign || point.shownBy != nil, "\(point.number)")
    }
  }

  @Test(
    "the functions in the table are those of the headers",
    arguments: AppleFunction.headers.map(\.name))
  func functions(_ header: String) throws {
    let functions = try #require(AppleFunction.headers.first { $0.name == header }).functions
    let present = functions.filter { $0.state != .absent }.map(\.name)
    #expect(Set(functions.map(\.name)).count == functions.count)
    #expect(try Set(present) == AppleFunction.declared(in: header))
    for function in functions where function.state != .provided {
      #expect(!function.note.isEmpty, "\(function.name)")
    }
  }

  @Test(
    "the page has each row's statement, or the same one of another attribute", arguments: Row.all)
  func statement(_ row: Row) throws {
    let page = try Project.text(of: Page.path).split(separator: "\n")
    let statement = row.apple.replacing("|", with: "\\|")
    let parts = row.id.split(separator: ".").map(String.init)
    let isThere = page.contains { line in
      line.contains(statement)
        || Attribute.allCases.contains { own in
          parts.contains("\(own)")
            && Attribute.allCases.contains {
              line.firstRange(of: statement.replacing(own.apple, with: $0.apple)).map { range in
                let rest = line[range.upperBound...]
                return rest.hasPrefix(" Likewise ") && rest.contains(" \(own)")
              } ?? false
            }
        }
    }
    #expect(isThere)
  }

  @Test("Documentation/keychain-parity.md is what the rows make")
  func page() throws {
    if ProcessInfo.processInfo.environment["VAULT_WRITE_PAGES"] != nil { try Page.write() }
    let committed = try Project.text(of: Page.path)
    #expect(committed == Page.text, "write it with VAULT_WRITE_PAGES=1")
  }
}

extension Row {
  /// Whether an interface differs from the keychain.
  fileprivate var differs: Bool {
    [vault, compatible].contains { answer in
      switch answer.relation {
      case .differs, .doesNotApply: true
      case .same, .inexpressible: false
      }
    }
  }
}
