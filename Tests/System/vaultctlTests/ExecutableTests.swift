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

  /// The functions of a lookup are linked side by side by their names, which change with the code.
  @Test(
    "has the functions that are linked by the order of their first use",
    .enabled(if: FileManager.default.fileExists(atPath: program.path), "not built for release"))
  func startupOrder() throws {
    let file = Project.root.appending(path: "Sources/vaultctl/startup.order")
    let names = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let listed = try Sandbox().run("nm", "--format=just-symbols", Self.program.path)
    let present = Set(listed.output.split(separator: "\n"))
    let share = Double(names.count(where: present.contains)) / Double(max(names.count, 1))
    #expect(names.count > 1_000 && share > 0.9, "Scripts/startup-order writes the file anew")
  }

  /// clang hands the linker a file of arguments if they are too long for a command.
  ///
  /// SwiftPM's run path is then in that file, which the length of the repository's path decides. A
  /// program that keeps it fails before its first instruction.
  @Test("starts, however long the command of its link is", arguments: [0, 4000])
  func longLink(symbols: Int) throws {
    let sandbox = try Sandbox()
    let script = """
      set -eu
      cd "$HOME"
      tools=$(dirname "$(readlink -f "$(command -v swift)")")
      printf 'int main(void) { return 7; }' >program.c
      "$tools/clang" -fPIE -c program.c -o program.o
      "$tools/clang" -static-pie "--ld-path=$1" '-Wl,-rpath=$ORIGIN' \
        $(seq -f '-Wl,--defsym=a_symbol_with_quite_a_long_name_%.0f=main' "$2") \
        program.o -o program
      ./program
      """
    let result = try sandbox.run(
      "sh", "-c", script, "sh", Project.root.appending(path: "Scripts/ld-static-pie").path,
      String(symbols))
    #expect(result.status == 7)
  }
}
