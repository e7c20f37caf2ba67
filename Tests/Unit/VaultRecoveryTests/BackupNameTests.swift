import TestSupport
import Testing
@testable import VaultStore
import VaultModel

@Suite("BackupName")
struct BackupNameTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func name(
    _ vault: String, _ time: String, number: Int = 1
  ) throws -> String {
    BackupName(
      of: try VaultPath(folder.file(vault)), at: try Timestamp(rfc3339: time), number: number
    ).text
  }

  @Test("a name has the vault's stem and the second in UTC")
  func text() throws {
    let time = "2026-01-31T23:59:59.999Z"
    #expect(try name("default.vault", time) == "default-20260131T235959Z.vault")
    #expect(try name("vault", time) == "vault-20260131T235959Z.vault")
    #expect(try name(".vault", time) == ".vault-20260131T235959Z.vault")
    #expect(try name("a-b.c", time, number: 2) == "a-b.c-20260131T235959Z-2.vault")
  }

  @Test("the own names are read, and order by time and then by number")
  func order() throws {
    let vault = try VaultPath(folder.file("a.vault"))
    let texts = [
      "a-20251231T235959Z.vault", "a-20260101T000000Z.vault", "a-20260101T000000Z-2.vault",
      "a-20260101T000000Z-10.vault", "a-20260101T000001Z.vault",
    ]
    let names = try texts.map { try #require(BackupName($0, of: vault)) }
    #expect(names.map(\.text) == texts)
    #expect(names.sorted() == names)
  }

  @Test(
    "other names are not a backup's",
    arguments: [
      "a.vault", "a-.vault", "b-20260101T000000Z.vault", "a-20260101T000000Z",
      "a-20260101T000000Z.vaul",
      "a-20260101T000000.vault", "a-2026010100000000.vault", "a-20260101T000000Z-.vault",
      "a-20260101T000000Z-1.vault", "a-20260101T000000Z-02.vault", "a-20260101T000000Z--2.vault",
      "a-20260101T000000Z-2-3.vault", "a-20260101T000000Z-x.vault", "A-20260101T000000Z.vault",
      "a-20260101T000000Z-99999999999999999999.vault", "a-b-20260101T000000Z.vault", "", "-.vault",
      "a-２０２６０１０１T000000Z.vault",
    ])
  func others(name: String) throws {
    #expect(BackupName(name, of: try VaultPath(folder.file("a.vault"))) == nil)
  }
}
