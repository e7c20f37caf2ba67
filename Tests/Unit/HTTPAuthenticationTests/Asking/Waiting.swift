import SecureMemory

@testable import HTTPAuthentication

/// Tasks that wait for a signal from a test, or for a time of a test's clock.
private struct Sleepers: Sendable {
  typealias Sleeper = (until: Duration, continuation: CheckedContinuation<Void, Never>)

  private(set) var now = Duration.zero
  private var number = 0
  private var sleepers: [Int: Sleeper] = [:]

  mutating func newNumber() -> Int {
    number += 1
    return number
  }

  /// Adds a sleeper and returns whether it need not sleep.
  mutating func add(_ number: Int, _ sleeper: Sleeper, isAwake: Bool) -> Bool {
    if isAwake || sleeper.until <= now { return true }
    sleepers[number] = sleeper
    return false
  }

  mutating func remove(_ number: Int) -> Sleeper? { sleepers.removeValue(forKey: number) }

  mutating func pass(_ duration: Duration) -> [Sleeper] {
    now += duration
    let awake = sleepers.filter { $0.value.until <= now }
    for number in awake.keys { sleepers[number] = nil }
    return Array(awake.values)
  }
}

/// A clock that a test sets, for a queue.
final class QueueTestClock: Sendable {
  private let sleepers = Lock(Sleepers())

  var clock: PromptClock {
    PromptClock(
      now: { self.sleepers.withLock { $0.now } },
      wait: { await self.wait(until: $0, endsWhenCancelled: true) })
  }

  func pass(_ duration: Duration) {
    for sleeper in sleepers.withLock({ $0.pass(duration) }) { sleeper.continuation.resume() }
  }

  func wait(until time: Duration, endsWhenCancelled: Bool) async {
    let number = sleepers.withLock { $0.newNumber() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isAwake = sleepers.withLock {
          $0.add(number, (time, continuation), isAwake: endsWhenCancelled && Task.isCancelled)
        }
        if isAwake { continuation.resume() }
      }
    } onCancel: {
      guard endsWhenCancelled else { return }
      sleepers.withLock { $0.remove(number) }?.continuation.resume()
    }
  }
}

/// A gate that a test opens; later callers pass at once.
final class Gate: Sendable {
  private let clock = QueueTestClock()

  func open() { clock.pass(.seconds(1)) }

  /// Waits until the gate is open, even if the task is cancelled.
  func pass() async { await clock.wait(until: .seconds(1), endsWhenCancelled: false) }

  /// Waits until the gate is open or the task is cancelled.
  func passUnlessCancelled() async {
    await clock.wait(until: .seconds(1), endsWhenCancelled: true)
  }
}

extension PromptQueue {
  /// The number of waiters, including those that a question is asked for.
  var length: Int { state.withLock { $0.waiters.count } }

  /// Whether nobody waits, nothing is asked, and no timer runs.
  var isAtRest: Bool {
    state.withLock { $0.waiters.isEmpty && $0.question == nil && $0.timer == nil }
  }

  /// Waits until the queue has this length.
  func reaches(_ length: Int) async {
    while self.length != length { await Task.yield() }
  }

  /// Waits until nothing of the questions is left.
  func comesToRest() async {
    while !isAtRest { await Task.yield() }
  }
}

/// The questions that prompts got, in order, and the maximum number of simultaneous ones.
final class QuestionRecord: Sendable {
  private let state = Lock<(asked: [String], now: Int, most: Int)>(([], 0, 0))

  var asked: [String] { state.withLock { $0.asked } }
  var mostAtOnce: Int { state.withLock { $0.most } }

  func begin(_ name: String) {
    state.withLock {
      $0.asked.append(name)
      $0.now += 1
      $0.most = max($0.most, $0.now)
    }
  }

  func end() { state.withLock { $0.now -= 1 } }
}
