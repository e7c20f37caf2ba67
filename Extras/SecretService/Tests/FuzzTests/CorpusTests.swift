import FuzzTesting
import Testing

/// The inputs that fuzzing of the Secret Service starts from.
@Suite struct CorpusTests {
  private static let corpus = Corpus(beside: #filePath)

  @Test func `Each target has a corpus, and each corpus a target`() throws {
    let targets = try Self.corpus.targets()
    #expect(targets == Set(FuzzTarget.all.map { $0.name }))
    #expect(FuzzTarget.all.count == targets.count)
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
}
