import Foundation
import ProgramTesting
import TestTraits
import Testing

/// The tables of measurements, and how those of several runs become one.
@Suite("measurements", .waiting)
struct MeasurementsTests {
  /// A row whose target is a number, and the figure that the verdict is about.
  struct Row {
    let text: String
    let ratio: Substring
    let bound: Substring
    let limit: Double
    let isMet: Bool

    init?(_ cells: [String], _ columns: [String: Int]) {
      guard let last = cells.last,
        let target = last.wholeMatch(
          of: /(?:rate )?([≤≥<>]) ([\d.]+) (×|commits|%): (met|\*\*missed\*\*)/),
        let limit = Double(target.2)
      else { return nil }
      let names = [
        target.3 == "%" ? "our share of a request" : "vault / SQLite", "times as fast",
      ]
      guard let column = names.compactMap({ columns[$0] }).first else { return nil }
      text = cells.joined(separator: " | ")
      ratio = cells[column][...]
      bound = target.1
      self.limit = limit
      isMet = target.4 == "met"
    }
  }

  static func tables() throws -> [[[String]]] {
    Markdown(try Project.text(of: "Documentation/measurements.md")).tables
  }

  @Test("the verdict of each row is what its figure says")
  func verdicts() throws {
    var count = 0
    for table in try Self.tables() where table[0].last == "target" {
      let columns = Dictionary(uniqueKeysWithValues: zip(table[0], table[0].indices))
      for row in table.dropFirst().compactMap({ Row($0, columns) }) where row.ratio != "–" {
        let value = try #require(row.ratio.firstMatch(of: /-?[\d.]+/).flatMap { Double($0.output) })
        // At the limit itself, the verdict may be on more digits than are shown.
        guard abs(value - row.limit) > 0.005 else { continue }
        let isBelow = value < row.limit
        #expect(row.isMet == ("≤<".contains(row.bound) ? isBelow : !isBelow), "\(row.text)")
        count += 1
      }
    }
    #expect(count > 60)
  }

  @Test("a median is within its spread")
  func spreads() throws {
    var count = 0
    for table in try Self.tables() {
      for cell in table.joined() {
        guard let match = cell.firstMatch(of: /([\d.]+) [×%c][a-z]* \(([\d.]+) to ([\d.]+)\)/),
          let median = Double(match.1), let low = Double(match.2), let high = Double(match.3)
        else { continue }
        #expect(low <= median && median <= high, "\(cell)")
        count += 1
      }
    }
    #expect(count > 20)
  }

  @Test("several runs become one table of all figures with a target, in bold what misses it")
  func runs() throws {
    let sandbox = try Sandbox()
    func run(_ number: Int, _ rows: String) throws -> String {
      let file = sandbox.folder.appending(path: "run.\(number)")
      try """
      | work | items | vault | SQLite | vault / SQLite | target |
      |---|--:|--:|--:|--:|---|
      | decide | 100 | 330 ns | 513 ns | 0.64 × (0.60 to 0.65) | ≤ 2 µs: met |
      \(rows)
      | list | 10³ | 1 ms | 2 ms | 0.50 × (0.49 to 0.60) | – |

      """.write(to: file, atomically: true, encoding: .utf8)
      return file.path
    }
    let script = Project.root.appending(path: "Benchmarks/runs").path
    let one = """
      | find | 10³ | 4 µs | 7 µs | 0.58 × (0.57 to 0.60) | ≤ 0.45 ×: **missed** |
      | bulk | 10⁴ | 4 µs | 7 µs | rate 1.60 × (1.52 to 1.70) | rate ≥ 1.5 ×: met |
      | wait | 10⁴ | 4 µs | 7 µs | 0.95 commits (0.90 to 1.00) | ≤ 2 commits: met |
      | more | 10⁴ | 262 ns (240 ns to 270 ns) | – | – | ≤ 500 ns: met |
      """
    let two = """
      | find | 10³ | 3 µs | 7 µs | 0.44 × (0.43 to 0.60) | ≤ 0.45 ×: met |
      | bulk | 10⁴ | 4 µs | 7 µs | rate 1.40 × (1.30 to 1.55) | rate ≥ 1.5 ×: **missed** |
      | wait | 10⁴ | – | – | – | not measured |
      | more | 10⁴ | 1.2 µs (1 µs to 1.3 µs) | – | – | ≤ 500 ns: **missed** |
      """
    let requests = """
      | requests | a second | our share of a request | processor time | target |
      |---|--:|--:|--:|---|
      | Basic | 2412 | 32.8 % (31.1 to 34.0), 136 µs | 445 µs | < 5 %: **missed** |
      """
    let result = try sandbox.run(
      script, try run(1, one), try run(2, two + "\n" + requests),
      environment: ["PYTHONDONTWRITEBYTECODE": "1"])
    #expect(result.errors == "")
    #expect(
      result.output == """
        | work | any | 10³ | 10⁴ | target |
        |---|--:|--:|--:|---|
        | decide | 330 ns, 330 ns | – | – | ≤ 2 µs |
        | find | – | **0.58**, 0.44 | – | ≤ 0.45 × |
        | bulk | – | – | 1.60, **1.40** | rate ≥ 1.5 × |
        | wait | – | – | 0.95, – | ≤ 2 commits |
        | more | – | – | 262 ns, **1.2 µs** | ≤ 500 ns |
        | Basic | –, **32.8** | – | – | < 5 % |

        """)
  }
}
