import Foundation
import ProgramTesting
import Testing
import VaultModel

@testable import Interchange

/// The same files with something wrong in them, given to the program: a vault gets all of a file
/// that can be imported, or nothing if it is to be strict, and no message shows a secret.
@Suite("An import of a file with something wrong in it")
struct ProgramFaultTests {
  /// The result of the program on a file: its status, the items that are there then, and the lines
  /// that show a secret.
  private struct Outcome: Equatable {
    let status: Int
    let items: Int
    let exposed: Int
  }

  /// The formats that are one file: a store of `pass` is read through gpg, and a Secret Service is
  /// asked.
  private static let formats = InterchangeFormat.allCases.filter {
    ![.pass, .secretService].contains($0)
  }

  /// Imports each file into a vault of its own, all of it or nothing, and with a list of rejected
  /// entries.
  private static let script = """
    for i in $(seq $2); do
      for more in --strict "--reject-file rejected.$i"; do
        rm -f v; vaultctl init -q --vault v --key-file key --accept-vault
        vaultctl import --vault v --key-file key $more $1 file.$i > said 2>&1; status=$?
        [ "$more" = --strict ] || cat rejected.$i >> said 2> /dev/null
        echo $status $(vaultctl list --vault v --key-file key | wc -l) $(grep -c -e Zq7secret -e pw1 said)
      done
    done
    """

  @Test(
    "imports what it can, or nothing if it is strict, in every format and with every fault",
    arguments: formats)
  func imports(format: InterchangeFormat) throws {
    let sandbox = try Sandbox()
    let files = RowFault.allCases.map {
      ForeignFile(format, [FaultTests.rows[0], $0.row, FaultTests.rows[2]])
    }
    for (index, file) in files.enumerated() {
      try Data(file.bytes).write(to: sandbox.home.appending(path: "file.\(index + 1)"))
    }
    let run = try sandbox.run("sh", "-c", Self.script, "sh", format.rawValue, "\(files.count)")
    let outcomes = run.lines.map { line in
      let numbers = line.split(separator: " ").compactMap { Int($0) }
      return Outcome(status: numbers[0], items: numbers[1], exposed: numbers[2])
    }
    try #require(outcomes.count == 2 * files.count, "\(run.errors)")
    for (index, fault) in RowFault.allCases.enumerated() {
      let (strict, listing) = (outcomes[2 * index], outcomes[2 * index + 1])
      let place = Comment(rawValue: "\(fault): \(strict), \(listing)")
      #expect(strict.exposed == 0 && listing.exposed == 0, place)
      guard let entries = Self.entries(files[index]) else {
        // Nothing can be read behind the fault.
        #expect(strict == Outcome(status: 65, items: 0, exposed: 0), place)
        #expect(listing == strict, place)
        continue
      }
      let isRejected = entries.contains { $0.rejection != nil }
      // One that another entry of the file has taken the place of is passed over.
      let (row, first) = (fault.row, FaultTests.rows[0])
      let isTaken = (row.host, row.account) == (first.host, first.account)
      let items = isRejected || isTaken ? 2 : 3
      let isWhole =
        !isRejected && (!isTaken || row.secret == first.secret)
        && !entries.contains(where: \.lacksSomething)
      #expect(strict.status == (isRejected ? 65 : isWhole ? 0 : 53), place)
      #expect(strict.items == (isRejected ? 0 : items), place)
      #expect(listing.status == (isWhole ? 0 : 53) && listing.items == items, place)
    }
  }

  private static func entries(_ file: ForeignFile) -> [Entry]? {
    do throws(VaultError) {
      return try file.entries()
    } catch {
      return nil
    }
  }
}
