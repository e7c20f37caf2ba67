import AttackSupport
import CredentialVault
import Foundation
import SecureMemory
import TestSupport
import Testing
import VaultAdministration
import VaultModel

/// What programs remove and replace is gone from the file, unless the vault is set to keep it.
@Suite("Vault: removals of programs")
struct RemovalTests {
  let fixture: Fixture
  var vault: Vault { fixture.vault }

  init() throws {
    fixture = try Fixture()
  }

  /// A way in which a program removes an item that has one previous secret, or replaces its secret.
  struct Way: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let isRemoval: Bool
    let run: @Sendable (Vault, Item) throws -> Void

    init(
      _ name: String, isRemoval: Bool = true,
      _ run: @escaping @Sendable (Vault, Item) throws -> Void
    ) {
      (testDescription, self.isRemoval, self.run) = (name, isRemoval, run)
    }
  }

  static let ways = [
    Way("remove") { try $0.remove($1, removal: .ofProgram) },
    Way("removeUnique") { vault, _ in
      _ = try vault.removeUnique(ItemQuery(), removal: .ofProgram)
    },
    Way("removeAll") { vault, _ in _ = try vault.removeAll(ItemQuery(), removal: .ofProgram) },
    Way("remove(user:for:)") { vault, _ in
      try vault.remove(user: "ann", for: space(), removal: .ofProgram)
    },
    Way("in a transaction: remove") { vault, item in
      try vault.write { (transaction) throws(VaultError) in
        try transaction.remove(item, removal: .ofProgram)
      }
    },
    Way("modify", isRemoval: false) { vault, item in
      try vault.modify(item, [.secret(Secret("new"))], removal: .ofProgram)
    },
    Way("modify the key, too", isRemoval: false) { vault, item in
      try vault.modify(
        item, [.secret(Secret("new")), .account("zoe")], removal: .ofProgram)
    },
    Way("renew", isRemoval: false) { vault, item in
      try vault.renew(
        item, [.secret(Secret("new"))], afterAcceptance: true, removal: .ofProgram)
    },
    Way("renewAll", isRemoval: false) { vault, _ in
      _ = try vault.renewAll(
        ItemQuery(), [.secret(Secret("new"))], afterAcceptance: true, removal: .ofProgram,
        where: nil)
    },
    Way("in a transaction: modify", isRemoval: false) { vault, item in
      try vault.write { (transaction) throws(VaultError) in
        _ = try transaction.modify(item, [.secret(Secret("new"))], removal: .ofProgram)
      }
    },
  ]

  /// Adds an item with one previous secret, which a person replaced.
  private func add(bytes count: Int = 3) throws -> Item {
    let added = try vault.add(item("ann", "before")).item
    let secret = Secret([UInt8](repeating: 7, count: count))
    return try vault.modify(added, [.secret(secret), .comment("Orinoco")]).item
  }

  /// Returns the rows of the file's nodes, as they are sealed.
  private func rows() throws -> [[UInt8]] {
    let text = try Database.bytes(
      "SELECT CAST(group_concat(hex(sealed)) AS BLOB) FROM node", of: fixture.path)
    return text.split(separator: UInt8(ascii: ",")).map { row in
      stride(from: row.startIndex, to: row.endIndex, by: 2).map {
        UInt8(String(decoding: row[$0..<$0 + 2], as: UTF8.self), radix: 16) ?? 0
      }
    }
  }

  @Test("nothing of it stays: no trash, no history, no sealed bytes", arguments: ways, [3, 3000])
  func gone(_ way: Way, bytes count: Int) throws {
    let item = try add(bytes: count)
    try vault.close()
    let before = try rows()
    #expect(before.count == (count == 3 ? 1 : 2))
    let opened = try fixture.open()
    try way.run(opened, item)
    #expect(try opened.trash.items(.everything).isEmpty)
    let left = try opened.findAll(.everything, withSecrets: true)
    #expect(left.count == (way.isRemoval ? 0 : 1))
    for item in left {
      #expect(item.secret?.array == Array("new".utf8))
      #expect(try opened.history.entries(of: item).isEmpty)
    }
    #expect(throws: VaultError(.itemNotFound, "")) {
      try opened.history.revert(left.first ?? item)
    }
    try opened.close()
    let file = Data(try File.read(fixture.path))
    for row in before {
      // Any part of a row that is not overwritten can still be opened with the vault's key.
      for start in stride(from: 0, to: row.count - 32, by: 32) {
        #expect(file.range(of: Data(row[start..<start + 32])) == nil)
      }
    }
  }

  @Test("a person's change keeps the past, and so does a program's if the vault is set to keep it")
  func kept() throws {
    #expect(try !vault.trash.keepsForPrograms)
    let item = try add()
    try vault.trash.setKeepsForPrograms(true)
    #expect(try fixture.open().trash.keepsForPrograms)
    try vault.modify(item, [.secret(Secret("new"))], removal: .ofProgram)
    #expect(try vault.history.entries(of: item).count == 2)
    try vault.remove(item, removal: .ofProgram)
    let removed = try #require(vault.trash.items().first)
    #expect(try vault.history.entries(of: vault.trash.restore(removed).item).count == 2)
    // It is no exception to what is removed for good.
    try vault.modify(item, [.secret(Secret("newer"))], removal: .permanent)
    #expect(try vault.history.entries(of: item).isEmpty)
    try vault.write { (transaction) throws(VaultError) in
      #expect(try transaction.keepsForPrograms)
      try transaction.setKeepsForPrograms(false)
    }
    try vault.remove(item, removal: .ofProgram)
    #expect(try vault.trash.items().isEmpty)
    #expect(try vault.maintenance.verify().problems == [])
  }

  @Test("what replaces no secret, or fails, takes no history")
  func unchanged() throws {
    let item = try add()
    let same = Secret([7, 7, 7])
    try vault.modify(item, [.comment("x"), .secret(same)], removal: .ofProgram)
    #expect(try vault.history.entries(of: item).count == 1)
    #expect(throws: VaultError(.conflict, "")) {
      try vault.modify(
        item, [.secret(Secret("new"))], ifRevision: item.revision, removal: .ofProgram)
    }
    #expect(try vault.history.entries(of: item).count == 1)
    // An earlier removal by a person is that person's.
    try vault.remove(item)
    try vault.remove(vault.add(CredentialVaultTests.item("ann")).item, removal: .ofProgram)
    #expect(try vault.trash.items().map(\.id.item) == [item.id])
  }

  @Test("the session keeps nothing of it either")
  func session() throws {
    let item = try vault.add(item("ann", "one"), persistence: .session).item
    try vault.modify(item, [.secret(Secret("two"))])
    #expect(try vault.history.entries(of: item).count == 1)
    try vault.modify(item, [.secret(Secret("three"))], removal: .ofProgram)
    #expect(try vault.history.entries(of: item).isEmpty)
    let memory = Vault.inMemory()
    #expect(try !memory.trash.keepsForPrograms)
    #expect(throws: VaultError(.unsupported, "")) {
      try memory.trash.setKeepsForPrograms(true)
    }
  }

  @Test("the log names the item and who removed it, and nothing else of it")
  func log() throws {
    let item = try add()
    try vault.remove(item, removal: .ofProgram)
    let entry = try #require(vault.log.changes().first)
    #expect(entry.operation == .purged)
    #expect(entry.key?.account == "ann" && entry.attributes.isEmpty)
    #expect(try vault.log.changes().allSatisfy { !"\($0)".contains("Orinoco") })
  }
}
