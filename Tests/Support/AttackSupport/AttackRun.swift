import Foundation
import ProgramTesting
import SecureMemory

/// Many attacks of one kind, made by two threads, and their results.
package struct AttackRun: Sendable {
  package var right = 0
  package var refused = 0
  /// Forbidden results, each with the attack that caused it; only the first few.
  package var wrong: [String] = []

  package var count: Int { right + refused }

  /// Makes one attack after another.
  ///
  /// - Parameters:
  ///   - attacks: The attacks; each worker takes every other one.
  ///   - perform: Makes one attack in a worker's own folder.
  /// - Returns: The results of all of them.
  package static func run<Attack: Sendable>(
    _ attacks: [Attack],
    _ perform: @escaping @Sendable (Attack, Int, Folder) throws -> AnswerCheck.Verdict
  ) -> AttackRun {
    // Under a sanitizer one attack in sixteen is enough, but no fewer than some sixty.
    let step = Sanitizer.isActive ? max(1, min(16, attacks.count / 64)) : 1
    let attacks = stride(from: step / 3, to: attacks.count, by: step).map { attacks[$0] }
    let campaign = Lock(AttackRun())
    let watchdog = Watchdog()
    let workers = 2
    DispatchQueue.concurrentPerform(iterations: workers) { worker in
      do {
        let folder = try Folder()
        for turn in stride(from: worker, to: attacks.count, by: workers) {
          let verdict = try perform(attacks[turn], turn, folder)
          watchdog.notice()
          campaign.withLock { $0.note(verdict, attacks[turn]) }
        }
      } catch {
        campaign.withLock { $0.wrong.append("the attack itself failed: \(error)") }
      }
    }
    watchdog.stop()
    return campaign.withLock { $0 }
  }

  private mutating func note(_ verdict: AnswerCheck.Verdict, _ attack: some Sendable) {
    switch verdict {
    case .right: right += 1
    case .refused: refused += 1
    case .wrong(let what): if wrong.count < 20 { wrong.append("\(attack): \(what)") }
    }
  }

  /// Whether every attack is made, as `VAULT_LONG_TESTS` in the environment requests.
  package static var isComplete: Bool {
    ProcessInfo.processInfo.environment["VAULT_LONG_TESTS"] != nil
  }
}

/// Ends the process if nothing was noted for ten minutes, so that a hang does not look like slow
/// progress.
final class Watchdog: Sendable {
  private let state = Lock((progress: 0, isRunning: true))

  init() {
    Thread.detachNewThread {
      var (last, silence) = (-1, 0)
      while true {
        sleep(1)
        let (progress, isRunning) = self.state.withLock { $0 }
        guard isRunning else { return }
        silence = progress == last ? silence + 1 : 0
        last = progress
        if silence > 600 { abort() }
      }
    }
  }

  func notice() { state.withLock { $0.progress += 1 } }
  func stop() { state.withLock { $0.isRunning = false } }
}

/// Whether the tests run under a sanitizer, which makes each step many times slower, keeps copies
/// of memory, and maps terabytes of its own.
package enum Sanitizer {
  package static let isActive = Project.isSanitized
}
