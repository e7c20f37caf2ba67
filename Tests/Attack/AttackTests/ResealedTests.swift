import AttackSupport
import Foundation
import SecureMemory
import Testing

/// Authentic seals over malformed, extreme and contradictory content: a seal proves the author, not
/// the content.
@Suite struct ResealedTests {
  /// Uses the vaults of every other seed in a child, and continues in another one after a seed that
  /// ended it.
  ///
  /// - Returns: The forbidden results, with their seeds, and the number of vaults that were used.
  private static func use(
    _ seeds: StrideTo<Int>, _ folder: Folder, _ step: Int
  ) throws -> (wrong: [String], count: Int, right: Int) {
    var (wrong, count, right): ([String], Int, Int) = ([], 0, 0)
    var rest = Array(seeds)
    while let first = rest.first, wrong.count < 20 {
      let driver = try DriverProcess(
        "reseal",
        [
          "from": "\(first)", "count": "\(rest.count)", "step": "\(step)", "folder": folder.path,
          "key": folder("key"),
        ], environment: ["XDG_STATE_HOME": "/dev/null"])
      var last = first
      while let line = driver.line() {
        let words = line.split(separator: " ")
        switch words.first {
        case "seed": last = Int(words[1]) ?? last
        case "over": right += Int(words[1]) ?? 0
        default: wrong.append(line)
        }
      }
      let ending = driver.wait()
      let isOver = ending == .exited(0)
      if !isOver { wrong.append("seed \(last): the process \(ending)") }
      let done = rest.prefix { $0 <= last }.count
      count += done
      rest.removeFirst(isOver ? rest.count : done)
    }
    return (wrong, count, right)
  }

  @Test func `Whatever an authentic vault says, it gives right data or an error`() throws {
    let environment = ProcessInfo.processInfo.environment
    let only = environment["VAULT_SEED"].flatMap { Int($0) }
    let all = AttackRun.isComplete ? 60_000 : Sanitizer.isActive ? 400 : 3_200
    let results = Lock<[(wrong: [String], count: Int, right: Int)]>([])
    let (workers, key) = (only == nil ? 2 : 1, try GoldenVault.keyFile("small"))
    DispatchQueue.concurrentPerform(iterations: workers) { worker in
      do {
        let folder = try Folder()
        try File.write(key, to: folder("key"))
        let from = only ?? worker
        let result = try Self.use(
          stride(from: from, to: only.map { $0 + 1 } ?? all, by: workers), folder, workers)
        results.withLock { $0.append(result) }
      } catch {
        results.withLock { $0.append((["the test itself: \(error)"], 0, 0)) }
      }
    }
    let found = results.withLock { $0 }
    #expect(found.flatMap(\.wrong) == [])
    guard only == nil else { return }
    #expect(found.map(\.count).reduce(0, +) == all)
    // The judge must be able to find a vault right, and find most of them wrong.
    let right = found.map(\.right).reduce(0, +)
    #expect(right > all / 40 && right < all / 2)
  }
}
