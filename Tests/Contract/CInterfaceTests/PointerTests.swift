import ProgramTesting
import TestTraits
import Testing

@Suite("pointers that C passes", .waiting)
struct PointerTests {
  /// The result of each case, by its identifier: a status, and whether outputs were written.
  private static let outcomes = Task.waiting {
    let installation = try CInstallation.shared.get()
    let program = try installation.program("pointers", text: PointerCase.program())
    let result = try installation.run(program, [])
    guard result.status == 0 else { throw CInstallation.Failure(description: result.errors) }
    return Dictionary(
      result.lines.map { line in
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        return (words[0], words.count > 1 ? words[1] : "")
      }, uniquingKeysWith: { "\($0), \($1)" })
  }

  @Test("a wrong pointer has its status and changes no output", arguments: PointerCase.all)
  func pointer(_ pointerCase: PointerCase) async throws {
    let outcome = try await #require(Self.outcomes.value[pointerCase.identifier])
    let expected = pointerCase.expectedStatus
    #expect(outcome.hasPrefix("\(expected) "), "\(outcome)")
    if expected != 0 { #expect(outcome.hasSuffix(" untouched"), "\(outcome)") }
  }

  @Test(
    "the headers declare what the library implements, and each pointer says whether it may be NULL")
  func declarations() {
    #expect(Prototype.all.count { $0.isOfKeychain } >= 20)
    #expect(Prototype.all.count { !$0.isOfKeychain } >= 70)
    for function in Prototype.all {
      for parameter in function.parameters where parameter.isPointer {
        #expect(parameter.isRequired != nil, "\(function) \(parameter.name)")
      }
    }
  }
}
