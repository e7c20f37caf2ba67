import CVault
import Foundation
import ProgramTesting
import TestSupport
import Testing
import VaultC

@Suite("a replica of a fleet's vault, through the C interface")
struct ReplicaTests {
  private static let golden = Project.root
    .appending(path: "Tests/Unit/VaultStorageTests/Vaults/format-1").path

  @Test("it is read as any vault, and a program that asks no server writes nothing to its file")
  func writing() throws {
    let folder = try TemporaryFolder()
    let path = try folder.copy("\(Self.golden)/fleet.vault", as: "vault")
    let key = try folder.copy("\(Self.golden)/fleet.build-machine", as: "key")
    let before = try folder.bytes(path)
    // The place is the initializer's, and strings are C strings during the calls.
    let vault = try unsafe CVaultObject { place in unsafe vault_open_accepting(path, place) }
    try check(unsafe vault_unlock_with_key_file(vault.handle, key))
    #expect(try vault.findAll(nil) == ["ada"])
    let ann = try CAttributes(
      [VAULT_ACCOUNT.rawValue: "ann", VAULT_SERVER.rawValue: "example.com"], secret: "one")
    let item = try vault.find(nil)
    let refused = Failure(VAULT_UNAVAILABLE)
    #expect(throws: refused) { try vault.add(ann, VAULT_PERSISTENCE_PERMANENT) }
    #expect(throws: refused) { try vault.upsert(ann, VAULT_PERSISTENCE_PERMANENT) }
    #expect(throws: refused) { try item.modify(CAttributes([VAULT_COMMENT.rawValue: "c"])) }
    #expect(throws: refused) { try vault.removeUnique(nil) }
    #expect(throws: refused) { try vault.removeAll(nil) }
    #expect(throws: refused) { try vault.emptyTrash() }
    #expect(throws: refused) { try item.remove() }
    #expect(try folder.bytes(path) == before)
    // For the session, nobody is asked.
    _ = try vault.add(ann)
    #expect(try vault.findAll(nil).sorted() == ["ada", "ann"])
    #expect(try folder.bytes(path) == before)
  }
}
