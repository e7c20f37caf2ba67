import FuzzTesting
import Testing
import VaultModel

/// The inputs that fuzzing starts from, and those that once revealed a fault.
@Suite struct CorpusTests {
  private static let corpus = Corpus(beside: #filePath)

  @Test func `Each target has a corpus, and each corpus a target`() throws {
    let targets = try Self.corpus.targets()
    #expect(targets == Set(FuzzTarget.all.map(\.name)))
    #expect(FuzzTarget.all.count == targets.count)
    #expect(targets.count >= 20)
  }

  @Test(arguments: FuzzTarget.all)
  func `Every input keeps every promise, some are read and some refused`(
    target: FuzzTarget
  ) throws {
    let result = try Self.corpus.run(target)
    #expect(result.count >= 4)
    #expect(result.broken == [])
    #expect(result.outcomes == [.read, .refused])
  }

  @Test(arguments: FuzzTarget.all)
  func `No input at all, one byte, and many of one keep every promise`(target: FuzzTarget) throws {
    for bytes in Corpus.plain {
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
