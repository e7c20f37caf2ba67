import TestTraits
import Foundation
import SealedTree
import SecureMemory
import StoreTesting
import Testing
import VaultStore
import VaultModel

@testable import CredentialVault

@Suite("Clock", .waiting)
struct ClockTests {
  private let workplace: ProgramFixture

  /// Creates a vault that was written to when it was ten days later, with an item that has expired
  /// since.
  init() throws {
    workplace = try ProgramFixture()
    let path = workplace.folder.path
    try #require(try workplace.run("vaultctl init -q").status == 0)
    let later = Timestamp.now().adding(.seconds(10 * 86_400))
    let store = try FileStore.open(
      VaultPath("\(path)/vault"), stateFolder: "\(path)/state/vaultctl", lockTimeout: .seconds(10),
      time: TimeSource(now: { later }, session: SessionTime.now))
    try store.unlock(with: KeySource.keyFile("\(path)/key").read())
    for (name, days) in [("old", 5), ("new", 15)] as [(String, Int64)] {
      var item = Item(
        server: try HostName("\(name).example.com"), secret: Secret("x"), protocol: .https)
      item.keptUntil = Timestamp.now().adding(.seconds(days * 86_400))
      _ = try store.add(item)
    }
    try store.close()
  }

  @Test("what had expired by the last commit is shown as expired, though the clock was set back")
  func setBack() throws {
    let list = try workplace.run("vaultctl list")
    let lines = String(decoding: list.output, as: UTF8.self).split(separator: "\n")
    #expect(lines.map { $0.hasSuffix("(expired)") } == [false, true])
    let show = try workplace.run("vaultctl show -s old.example.com")
    #expect(String(decoding: show.output, as: UTF8.self).hasSuffix(" (expired)\n"))
    let json = try workplace.run("vaultctl find --json -s old.example.com")
    #expect(String(decoding: json.output, as: UTF8.self).contains(#""expired":true"#))
    #expect(try workplace.run("vaultctl find -w -s old.example.com").status == 47)
    #expect(try workplace.run("vaultctl find -w -s new.example.com").status == 0)
  }

  @Test("and purge removes it, and nothing else")
  func purged() throws {
    #expect(try workplace.run("vaultctl purge").status == 0)
    let list = try workplace.run("vaultctl list | grep -c .")
    #expect(String(decoding: list.output, as: UTF8.self) == "1\n")
  }
}
