import FuzzTesting
import Testing
import VaultModel

/// The inputs that fuzzing starts from, and those that once revealed a fault.
@Suite struct CorpusTests {
  private static let corpus = Corpus(beside: #filePath)

  @Test func `Each target has a corpus, and each corpus a target`() throws {
    #expect(try Self.corpus.strangers(among: FuzzTarget.all) == [])
    #expect(FuzzTarget.all.count >= 20)
  }

  @Test(arguments: FuzzTarget.all)
  func `Every input keeps every promise, some are read and some refused`(
    target: FuzzTarget
  ) throws {
    #expect(try Self.corpus.problems(of: target) == [])
  }

  @Test(arguments: FuzzTarget.all)
  func `No input at all, one byte, and many of one keep every promise`(target: FuzzTarget) {
    #expect(Corpus.problemsWithoutCorpus(of: target) == [])
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
