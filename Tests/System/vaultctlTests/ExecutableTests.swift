import Foundation
import ProgramTesting
import Testing

/// The shipped program as a file, which `make` builds before the tests.
@Suite("the program's file")
struct ExecutableTests {
  private static let program = Project.root.appending(path: ".build/shipped/release/vaultctl")

  @Test(
    "is static and position-independent",
    .enabled(if: FileManager.default.fileExists(atPath: program.path), "not built for release"))
  func positionIndependent() throws {
    let file = try FileHandle(forReadingFrom: Self.program)
    defer { try? file.close() }
    let header = Array(try #require(try file.read(upToCount: 64)))
    // Source: elf(5). e_type is 3, ET_DYN, for a program that can be loaded at any address; EM_EXEC
    // is 2.
    #expect(header.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2]))
    #expect(header[16] == 3 && header[17] == 0)
    // A program that needs an interpreter, PT_INTERP 3, is linked dynamically.
    let offset = header[32..<40].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let count = Int(header[56]) | Int(header[57]) << 8
    try file.seek(toOffset: offset)
    let table = Array(try #require(try file.read(upToCount: count * 56)))
    #expect((0..<count).allSatisfy { table[$0 * 56] != 3 })
  }
}
