import Foundation
import Testing
import VaultModel
import VaultReports

/// The inputs that fuzzing starts from, and those that once revealed a fault.
@Suite struct CorpusTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Corpora")

  private static func inputs(of name: String) throws -> [(name: String, bytes: [UInt8])] {
    let folder = folder.appending(path: name)
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
      ($0, Array(try Data(contentsOf: folder.appending(path: $0))))
    }
  }

  @Test func `Each target has a corpus, and each corpus a target`() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(Set(folders) == Set(FuzzTarget.all.map(\.name)))
    #expect(FuzzTarget.all.count == folders.count)
    #expect(FuzzTarget.all.count >= 20)
  }

  @Test(arguments: FuzzTarget.all)
  func `Every input keeps every promise, some are read and some refused`(
    target: FuzzTarget
  ) throws {
    let inputs = try Self.inputs(of: target.name)
    #expect(inputs.count >= 4)
    var outcomes: Set<FuzzTarget.Outcome> = []
    for (name, bytes) in inputs {
      do {
        outcomes.insert(try target.run(bytes))
      } catch {
        Issue.record("\(target.name)/\(name): \(error)")
      }
    }
    #expect(outcomes == [.read, .refused])
  }

  @Test(arguments: FuzzTarget.all)
  func `No input at all, one byte, and many of one keep every promise`(target: FuzzTarget) throws {
    var inputs: [[UInt8]] = [[]]
    inputs += (UInt8.min ... .max).filter { $0 % 51 == 0 }.map { [$0] }
    inputs += [0, 0x2E, 0x5B, 0x80, 0xFF].map { [UInt8](repeating: $0, count: 5000) }
    for bytes in inputs {
      #expect(throws: Never.self, "\(target.name), \(bytes.count) of \(bytes.first ?? 0)") {
        _ = try target.run(bytes)
      }
    }
  }

  @Test func `A reader that forgets a byte, or fails with the wrong error, is found`() throws {
    let bytes: [UInt8] = [1, 2, 3]
    #expect(throws: DiagnosticResult.self) {
      _ = try roundTrip(bytes, refusing: .damaged) {
        $0
      } write: {
        $0.dropLast()
      }
    }
    #expect(throws: DiagnosticResult.self) {
      _ = try roundTrip(bytes, refusing: .damaged) { (_) throws(VaultError) -> [UInt8] in
        throw VaultError(.internalError, "")
      } write: {
        $0
      }
    }
    #expect(
      try roundTrip(bytes, refusing: .damaged) {
        $0
      } write: {
        $0
      } == .read)
  }
}
