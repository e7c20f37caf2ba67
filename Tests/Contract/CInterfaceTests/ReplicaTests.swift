import Foundation
import ProgramTesting
import TestSupport
import TestTraits
import Testing

@Suite("a replica of a fleet's vault, through the C library", .waiting)
struct ReplicaTests {
  @Test("it is read as any vault, and a program that asks no server writes nothing to its file")
  func writing() throws {
    let installation = try CInstallation.shared.get()
    let folder = try TemporaryFolder()
    let vault = try folder.copy("\(Golden.folder)/fleet.vault", as: "vault")
    let key = try folder.copy("\(Golden.folder)/fleet.build-machine", as: "key")
    let before = try folder.bytes(vault)
    // A process of its own, in which no other test has said that it asks servers.
    let result = try installation.sandbox.run(
      "env", "-i", "HOME=\(folder.path)", installation.program("replica"), vault, key)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try folder.bytes(vault) == before)
  }
}
