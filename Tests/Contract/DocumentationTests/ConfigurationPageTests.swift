import CredentialVault
import Foundation
import ProgramTesting
import TestTraits
import Testing
import VaultModel

@Suite("the page on the configuration", .waiting)
struct ConfigurationPageTests {
  private static let path = "Documentation/configuration.md"

  @Test("its shell session runs as written, and prints what it says")
  func sessions() throws {
    let sandbox = try Sandbox()
    let page = try ReferencePage(Self.path).page
    let result = try ShellSession(page).run(in: sandbox, environment: ["XDG_DATA_HOME": nil])
    #expect(result.status == 0)
  }

  @Test("it has every name that a line can have, and no other")
  func names() throws {
    let page = try ReferencePage(Self.path)
    let names = try page.rows("name").flatMap { page.codes($0[0]) }
    #expect(names == VaultConfiguration.Name.allCases.map(\.rawValue))
  }

  @Test("its Swift is in a test")
  func swift() throws {
    let page = try ReferencePage(Self.path)
    #expect(
      try page.strangeSwift("Tests/Contract/DocumentationTests/ConfigurationPageTests.swift")
        .isEmpty)
  }

  /// Repeats the page's listing, which is compiled and never run: its paths are nobody's.
  private func listing() throws {
    let list = try VaultList.open([
      ListedVault("/home/ann/own.vault"),
      ListedVault("/srv/team/team.vault", isReadOnly: true, owner: "ci"),
    ])
    let found = try list.find(ItemQuery(try ProtectionSpace(url: "https://ci.example.com")))
    print(found.item.account, found.vault.path ?? "")
    try list.defaultVault.add(found.item)
  }
}
