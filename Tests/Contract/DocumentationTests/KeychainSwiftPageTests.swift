import Foundation
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

  @Test("a bundle's identifier is that of the Info.plist beside the executable, or in Contents")
  func bundleIdentifier() throws {
    let sandbox = try Sandbox()
    let source = "import Foundation\nprint(Bundle.main.bundleIdentifier ?? \"nil\")\n"
    let plist = """
      <plist version="1.0"><dict>
      <key>CFBundleIdentifier</key><string>com.example.app</string>
      </dict></plist>
      """
    try Data(source.utf8).write(to: sandbox.folder.appending(path: "main.swift"))
    try Data(plist.utf8).write(to: sandbox.folder.appending(path: "Info"))
    let script = """
      cd "$0"
      swiftc main.swift -o program
      ./program
      cp Info Info.plist && ./program && rm Info.plist
      mkdir Contents && cp Info Contents/Info.plist && ./program
      """
    let result = try sandbox.run("bash", "-euc", script, sandbox.folder.path)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == "nil\ncom.example.app\ncom.example.app\n")
  }

  @Test("the flag that imports the module is the one that tests compile with")
  func flag() throws {
    let flag = #".unsafeFlags(["-Xfrontend", "-import-module", "-Xfrontend", "Security"])"#
    #expect(try Project.text(of: "Documentation/keychain-swift.md").contains("\n`\(flag)`\n"))
    #expect(try Project.text(of: "Package.swift").contains(flag))
  }
}
