import Foundation

/// The inputs of a target that fuzzing starts from, and those that once revealed a fault.
public struct Corpus: Sendable {
  /// The folder with a folder for each target.
  private let folder: URL

  /// Takes the folder `Corpora` beside a file of tests.
  public init(beside file: String) {
    folder = URL(filePath: file).deletingLastPathComponent().appending(path: "Corpora")
  }

  /// Returns the names of targets without inputs, of inputs without a target, and of two targets.
  public func strangers(among targets: [FuzzTarget]) throws -> [String] {
    let names = targets.map(\.name)
    let folders = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let twice = Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }.keys
    return Set(names).symmetricDifference(folders).union(twice).sorted()
  }

  /// Returns what is wrong with a target and its inputs: a promise that one breaks, fewer than four
  /// of them, and that none of them is read, or none refused.
  public func problems(of target: FuzzTarget) throws -> [String] {
    let folder = folder.appending(path: target.name)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    var problems = names.count < 4 ? ["\(target.name): \(names.count) inputs"] : []
    var outcomes: Set<FuzzTarget.Outcome> = []
    for name in names {
      do {
        outcomes.insert(
          try target.run(Array(try Data(contentsOf: folder.appending(path: name)))))
      } catch {
        problems.append("\(target.name)/\(name): \(error)")
      }
    }
    if outcomes != [.read, .refused] { problems.append("\(target.name): only \(outcomes)") }
    return problems
  }

  /// Returns the promises that a target breaks for no input at all, one byte, and many of one.
  public static func problemsWithoutCorpus(of target: FuzzTarget) -> [String] {
    let inputs: [[UInt8]] =
      [[]] + (UInt8.min ... .max).filter { $0 % 51 == 0 }.map { [$0] }
      + [0, 0x2E, 0x5B, 0x80, 0xFF].map { [UInt8](repeating: $0, count: 5000) }
    return inputs.compactMap { bytes in
      do {
        _ = try target.run(bytes)
        return nil
      } catch {
        return "\(target.name), \(bytes.count) of \(bytes.first ?? 0): \(error)"
      }
    }
  }
}
