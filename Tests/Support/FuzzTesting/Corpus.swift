import Foundation

/// The inputs of a target that fuzzing starts from, and those that once revealed a fault.
public struct Corpus: Sendable {
  /// The folder with a folder for each target.
  private let folder: URL

  /// Takes the folder `Corpora` beside a file of tests.
  public init(beside file: String) {
    folder = URL(filePath: file).deletingLastPathComponent().appending(path: "Corpora")
  }

  /// The names of the targets that have inputs.
  public func targets() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
  }

  /// Runs a target over its inputs.
  ///
  /// - Returns: The outcomes, the number of inputs, and what broke a promise, by input.
  public func run(
    _ target: FuzzTarget
  ) throws -> (outcomes: Set<FuzzTarget.Outcome>, count: Int, broken: [String]) {
    let folder = folder.appending(path: target.name)
    var outcomes: Set<FuzzTarget.Outcome> = []
    var broken: [String] = []
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    for name in names {
      do {
        outcomes.insert(
          try target.run(Array(try Data(contentsOf: folder.appending(path: name)))))
      } catch {
        broken.append("\(target.name)/\(name): \(error)")
      }
    }
    return (outcomes, names.count, broken)
  }

  /// Inputs that every target gets: none, one byte, and many of one.
  public static let plain: [[UInt8]] =
    [[]] + (UInt8.min ... .max).filter { $0 % 51 == 0 }.map { [$0] }
    + [0, 0x2E, 0x5B, 0x80, 0xFF].map { [UInt8](repeating: $0, count: 5000) }
}
