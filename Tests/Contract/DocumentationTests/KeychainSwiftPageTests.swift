import KeychainServices
import ProgramTesting
import TestTraits
import Testing

@Suite("the page on the keychain in Swift", .waiting)
struct KeychainSwiftPageTests {
  let page: ReferencePage

  init() throws { page = try ReferencePage("Documentation/keychain-swift.md") }

  @Test("its table is the one of the code, with one row for all keys that are alike")
  func keys() throws {
    var expected: [[String]] = []
    for key in KeychainKey.all {
      let (name, role) = ("`\(key.name)`", Self.word(key.role))
      if let row = expected.firstIndex(where: { $0[1] == role && $0[2] == key.note }) {
        expected[row][0] += ", \(name)"
      } else {
        expected.append([name, role, key.note])
      }
    }
    #expect(try page.rows("key") == expected)
  }

  private static func word(_ role: KeychainKey.Role) -> String {
    switch role {
    case .kept: "kept"
    case .ignored: "ignored"
    case .refused: "refused"
    default: "used"
    }
  }

  @Test("its Swift lines are those of code that tests run, byte for byte")
  func swift() throws {
    #expect(page.page.blocks.map(\.language) == ["swift", "swift"])
    #expect(try page.strangeSwift("Tests/Support/KeychainShapes/PageExamples.swift") == [])
  }

  @Test("the flag that imports the module is the one that tests compile with")
  func flag() throws {
    let flag = #".unsafeFlags(["-Xfrontend", "-import-module", "-Xfrontend", "Security"])"#
    #expect(try Project.text(of: "Documentation/keychain-swift.md").contains("\n`\(flag)`\n"))
    #expect(try Project.text(of: "Package.swift").contains(flag))
  }
}
