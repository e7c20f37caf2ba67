import Foundation
import ProgramTesting
import Testing

/// The library beside the CoreFoundation that Swift toolchains ship.
@Suite("Keychain: beside another CoreFoundation", .serialized)
struct CoexistenceTests {
  let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox()
    try #require(try sandbox.installLibrary().status == 0, "make release builds the library")
    try #require(try sandbox.makeVault().status == 0)
  }

  /// Returns the toolchain's folder with its headers and libraries, found by its compiler.
  private func toolchain() throws -> String {
    let found = try sandbox.run("sh", "-c", "dirname \"$(readlink -f \"$(command -v swiftc)\")\"")
    let folder = URL(filePath: found.output.trimmingCharacters(in: .newlines))
    return folder.deletingLastPathComponent().appending(path: "lib/swift").path
  }

  @Test("both are loaded in one process, and each keeps to its own objects")
  func both() throws {
    let libraries = try toolchain() + "/linux"
    try sandbox.compileForKeychain("beside", flags: ["-D_GNU_SOURCE", "-ldl"])
    let result = try sandbox.runProgram("beside", "\(libraries)/libFoundation.so")
    #expect(result.output == "ours: ours, theirs: theirs\n", Comment(rawValue: result.errors))
  }

  @Test("the headers leave the names of a CoreFoundation that is included before alone")
  func foreign() throws {
    let folder = try toolchain()
    try sandbox.compileForKeychain(
      "foreign", compiler: "clang",
      flags: [
        "-fblocks", "-isystem", folder, "-L\(folder)/linux", "-Wl,-rpath,\(folder)/linux",
        "-lFoundation",
      ])
    let result = try sandbox.runProgram("foreign")
    #expect(
      result.output == "-25300: The specified item could not be found in the keychain.\n",
      Comment(rawValue: result.errors))
  }
}
