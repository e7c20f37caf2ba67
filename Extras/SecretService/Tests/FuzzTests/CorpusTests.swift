import FuzzTesting
import Testing

/// The inputs that fuzzing of the Secret Service starts from.
@Suite struct CorpusTests {
  private static let corpus = Corpus(beside: #filePath)

  @Test func `Each target has a corpus, and each corpus a target`() throws {
    #expect(try Self.corpus.strangers(among: FuzzTarget.all) == [])
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
}
