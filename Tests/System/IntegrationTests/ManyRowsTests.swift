import Foundation
import ProgramTesting
import TestTraits
import Testing

/// A file with nearly as many bytes as the program may have addresses.
@Suite("An import of many rows", .waiting)
struct ManyRowsTests {
  /// The awk program that writes them, each with a long note.
  ///
  /// One in fifty is for a new place; the others are for the same ones, or rejected.
  private static let rows = """
    BEGIN {
      note = sprintf("%4000s", ""); gsub(/ /, "n", note); print "name,url,username,password,note"
      for (n = 0; n < 25000; n++) {
        more = n % 10 == 9 ? ",more than there are columns" : ""
        printf "a,https://h%d.example.com,ann,pw%d,%s%s\\n", n / 50, n / 50, note, more
      }
    }
    """

  @Test("takes memory for what it adds, not for what it reads, rejects or reports")
  func memory() throws {
    let sandbox = try Sandbox()
    try #require(try sandbox.makeVault().status == 0)
    try #require(try sandbox.run("sh", "-c", "awk \"$1\" >many", "sh", Self.rows).status == 0)
    // The release build: the other needs a minute. One heap: see `LongLineTests`.
    let imported = try sandbox.run(
      "sh", "-c",
      #"""
      ulimit -v 131072
      MALLOC_ARENA_MAX=1 exec "$1" import chrome many --reject-file bad --report >said
      """#,
      "sh", Project.releaseProgram.path)
    #expect(imported.status == 53, "\(imported.errors)")
    let said = try sandbox.run("sh", "-c", "wc -l <said; tail -n 1 said; wc -l <bad; wc -c <many")
    let size = Int(said.lines.last ?? "") ?? 0
    #expect(size > 100_000_000)
    #expect(
      said.lines.dropLast() == [
        "25001", "imported: 500 new, 22000 identical, 2500 rejected (chrome)", "2500",
      ])
  }
}
