import SecureMemory
import Testing
import VaultModel

@testable import Interchange

@Suite struct CSVRecordsTests {
  /// Returns the fields of each record, or what is wrong with it, from pieces of every small size.
  private func rows(_ text: String) throws -> [[String]] {
    let whole = try rows(text, piece: 1 << 16)
    for piece in 1...3 { #expect(try rows(text, piece: piece) == whole, "\(piece)") }
    return whole
  }

  private func rows(_ text: String, piece: Int) throws -> [[String]] {
    let records = try CSVRecords(ByteSource(Array(text.utf8), piece: piece))
    var rows: [[String]] = []
    while try records.next() { rows.append(records.problem.map { ["!" + $0] } ?? records.texts) }
    return rows
  }

  @Test func `Fields end at commas, records at line ends of both kinds`() throws {
    #expect(try rows("a,b\nc,,d\r\n,\n") == [["a", "b"], ["c", "", "d"], ["", ""]])
    #expect(try rows("a,b") == [["a", "b"]])
    #expect(try rows("") == [])
    #expect(try rows("\n\r\n\n") == [])
  }

  @Test func `Quoted fields keep commas, line ends and doubled quotation marks`() throws {
    #expect(
      try rows("\"a,b\",\"c\nd\r\ne\",\"\"\"f\"\"\",\"\"\n")
        == [["a,b", "c\nd\r\ne", "\"f\"", ""]])
  }

  @Test func `A byte order mark is no part of the first field`() throws {
    #expect(try rows("\u{FEFF}a,b\n") == [["a", "b"]])
    #expect(try rows("\u{FEFF}\"a\",b\n") == [["a", "b"]])
  }

  @Test func `A carriage return alone, and a quotation mark inside a field, are kept`() throws {
    #expect(try rows("x\na\rb,c\"d\n") == [["x"], ["a\rb", "c\"d"]])
  }

  @Test func `Formulas are text`() throws {
    #expect(try rows("=1+1,@SUM(A1),-2,+3\n") == [["=1+1", "@SUM(A1)", "-2", "+3"]])
  }

  @Test func `A record that is wrong says why, and the next one is read`() throws {
    #expect(try rows("\"a\"b,c\nd\n") == [["!text after a closing quotation mark"], ["d"]])
    #expect(try rows("a\0b\nd\n") == [["!a NUL byte"], ["d"]])
    #expect(try rows("a\nb,\"c\nd") == [["a"], ["!a quotation mark that is never closed"]])
    let many = String(repeating: ",", count: CSVRecord.mostFields)
    #expect(try rows(many + "\nd\n") == [["!more than 512 fields"], ["d"]])
  }

  @Test func `A record has the lines from its first to its last one`() throws {
    func lines(_ text: String) throws -> [[Int]] {
      let records = try CSVRecords(ByteSource(Secret(text)))
      var found: [[Int]] = []
      while try records.next() { found.append([records.line, records.lastLine]) }
      return found
    }
    #expect(try lines("a\n\nb\r\nc") == [[1, 1], [3, 3], [4, 4]])
    #expect(try lines("\"a\nb\",\"c\n\"\nd\n") == [[1, 3], [4, 4]])
    #expect(try lines("a,\"b\nc,\"d\"\ne\n") == [[1, 2], [3, 3]])
    #expect(try lines("a\n\"b\nc") == [[1, 1], [2, 3]])
    #expect(try lines("a\n\"b\nc\n") == [[1, 1], [2, 3]])
    #expect(try lines("a\n\"\n") == [[1, 1], [2, 2]])
  }

  @Test func `A carriage return and a quotation mark mean what follows them`() throws {
    #expect(try rows("a\r") == [["a"]])
    #expect(try rows("x\na\r") == [["x"], ["a\r"]])
    #expect(try rows("a,\r\n") == [["a", ""]])
    #expect(try rows("\"a\"\r\nb") == [["a"], ["b"]])
    #expect(try rows("x\n\"a\"\rb\n") == [["x"], ["!text after a closing quotation mark"]])
    #expect(try rows("\"a\"\"") == [["!a quotation mark that is never closed"]])
    #expect(try rows("\"\"\n") == [[""]])
  }

  @Test func `Whether a record is whole shows at the end of the file`() throws {
    func end(_ text: String) throws -> [Bool] {
      let records = try CSVRecords(ByteSource(Secret(text)))
      #expect(try records.next())
      return [records.isTerminated, records.endsOpen]
    }
    #expect(try end("a,b\n") == [true, false])
    #expect(try end("a,b") == [false, true])
    #expect(try end("a,") == [false, true])
    #expect(try end("a,\"b\"") == [false, false])
    #expect(try end("\"a\",b") == [false, true])
  }

  @Test func `Bytes that are not UTF-8 are refused`() throws {
    let bytes: [UInt8] = [0x61, 0xFF, 0x0A, 0x62]
    let records = try CSVRecords(ByteSource(Secret(copying: bytes.span)))
    #expect(try records.next())
    #expect(records.problem == "not UTF-8")
    #expect(try records.next())
    #expect(records.problem == nil)
  }

  @Test func `UTF-16 is named`() throws {
    let bytes: [UInt8] = [0xFF, 0xFE, 0x61, 0x00]
    #expect(throws: VaultError(.invalidData, "")) {
      _ = try CSVRecords(ByteSource(Secret(copying: bytes.span)))
    }
  }

  @Test(arguments: [false, true])
  func `A line beyond the limit is rejected in bounded memory, and the next one is read`(
    isQuoted: Bool
  ) throws {
    let mark = isQuoted ? "\"" : ""
    let source = ByteSource.repeating(
      "x", count: 10 << 20, after: "a,\(mark)", before: "\(mark)\nb\n")
    let records = try CSVRecords(source)
    #expect(try records.next())
    #expect(records.problem == "longer than 4 MiB")
    let count = try records.withRawBytes { $0.byteCount }
    #expect(count <= InterchangeLimit.record)
    #expect(try records.next())
    #expect(records.line == 2)
    #expect(records.problem == nil)
    #expect(try !records.next())
  }

  @Test func `Lines are those of the file, not the records`() throws {
    let records = try CSVRecords(ByteSource(Secret("h\n\"a\nb\"\nc\n")))
    var lines: [Int] = []
    while try records.next() { lines.append(records.line) }
    #expect(lines == [1, 2, 4])
  }
}
