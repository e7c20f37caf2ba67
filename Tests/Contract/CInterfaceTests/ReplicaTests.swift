import Foundation
import ProgramTesting
import TestSupport
import TestTraits
import Testing

@Suite("a replica of a fleet's vault, through the C library", .waiting)
struct ReplicaTests {
  @Test("it is written by the program in libexec that orders its writes")
  func ordered() throws {
    let installation = try CInstallation.shared.get()
    let folder = try TemporaryFolder()
    let vault = try folder.copy("\(Golden.folder)/fleet.vault", as: "vault")
    let key = try folder.copy("\(Golden.folder)/fleet.build-machine", as: "key")
    let toy = Project.root.appending(path: "Tests/System/vaultctlTests/Programs/toy-order").path
    let program = folder.file("bin/replica")
    for (source, target) in try [
      (installation.program("replica"), program), (toy, folder.file("libexec/vaultctl-fleet")),
    ] {
      try FileManager.default.createDirectory(
        at: URL(filePath: target).deletingLastPathComponent(), withIntermediateDirectories: false)
      try FileManager.default.copyItem(atPath: source, toPath: target)
    }
    let result = try installation.sandbox.run(
      "env", "-i", "HOME=\(folder.path)", "PATH=/usr/bin", program, vault, key, "writes")
    #expect(result.status == 0, "\(result.errors)")
    let log = try String(contentsOfFile: "\(vault).order", encoding: .utf8)
    #expect(log.split(separator: "\n").count == 2)
  }

  @Test("it is read as any vault, and without such a program nothing is written to its file")
  func writing() throws {
    let installation = try CInstallation.shared.get()
    let folder = try TemporaryFolder()
    let vault = try folder.copy("\(Golden.folder)/fleet.vault", as: "vault")
    let key = try folder.copy("\(Golden.folder)/fleet.build-machine", as: "key")
    let before = try folder.bytes(vault)
    let result = try installation.sandbox.run(
      "env", "-i", "HOME=\(folder.path)", installation.program("replica"), vault, key)
    #expect(result.status == 0, "\(result.errors)")
    #expect(try folder.bytes(vault) == before)
  }
}
