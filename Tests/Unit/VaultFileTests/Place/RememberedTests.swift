import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultModel

@testable import SealedTree
@testable import VaultStore

@Suite("what is remembered")
struct RememberedTests {
  private struct NotBelieved: Error {}

  @Test("records are judged as their vectors say", arguments: try Vector.all("remembered"))
  func vector(_ vector: Vector) throws {
    try vector.requireKeys(
      ["kind", "vault-key", "ident", "record-key", "path"],
      results: ["epoch", "generation", "head"])
    let ident = try Ident(decoding: vector.bytes("ident"))
    let keys = try EpochKeys(vaultKey: vector.bytes("vault-key"), ident: ident)
    let key = try keys.open(recordKey: vector.bytes("record-key"))
    let path = try vector.text("path")
    let folder = try TemporaryFolder()
    let place = PlaceID(path).hex
    guard try vector.text("kind") == "seen" else {
      _ = try folder.write(vector.body, as: "\(place).place")
      let record = PlaceRecord(folder: folder.path, at: path)
      _ = record.look()
      #expect(
        (record.isAuthentic(for: ident.vaultID, key) == true) == (vector.expect == .success))
      // Written again, it is the same.
      record.confirm(ident.vaultID, key)
      let now = try folder.bytes(folder.file("\(place).place"))
      #expect((now == vector.body) == (vector.expect == .success))
      return
    }
    let name = "\(ident.vaultID.hex)-\(place).seen"
    _ = try folder.write(vector.body, as: name)
    let record = RollbackRecord(folder: folder.path, vault: ident.vaultID, at: path)
    let memory = record.look(key)
    #expect((memory != nil) == (vector.expect == .success))
    guard let memory else { return }
    #expect(try memory.epoch == vector.number("epoch"))
    #expect(try memory.generation == vector.number("generation"))
    #expect(try Chunk.encode([memory.head]) == vector.bytes("head"))
    record.replace(with: memory, key)
    #expect(try folder.bytes(folder.file(name)) == vector.body)
  }
}
