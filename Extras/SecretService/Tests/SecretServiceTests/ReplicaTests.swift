import BusMessages
import CredentialVault
import Foundation
import TestSupport
import Testing

@Suite("a replica of a fleet's vault, through the Secret Service")
struct ReplicaTests {
  @Test("it is read, and without the program that asks its server nothing is stored in it")
  func writing() throws {
    var path = ""
    let fixture = try ServiceFixture { folder in
      path = try folder.copy("\(Golden.folder)/fleet.vault", as: "test.vault")
      let key = try folder.copy("\(Golden.folder)/fleet.build-machine", as: "machine.key")
      return try Vault.open(path: path, key: .keyFile(key))
    }
    let before = try Data(contentsOf: URL(filePath: path))
    #expect(try fixture.property("Label", of: ServiceFixture.login, "Collection") != nil)
    let name = refusal { () throws(BusError) in _ = try fixture.create(["a": "b"]) }
    #expect(name == "Failed")
    #expect(try fixture.search(["a": "b"]).unlocked == [])
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
  }
}
