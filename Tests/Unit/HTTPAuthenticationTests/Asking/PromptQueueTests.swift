import SecureMemory
import Testing
import VaultModel

@testable import HTTPAuthentication

/// A queue, the questions that its prompts got, and tasks that wait in it.
struct QueueOfTest: Sendable {
  typealias Asked = PromptQueue.Asked<String>
  typealias Ask = @Sendable () async throws(VaultError) -> Asked
  typealias Waiting = Task<Result<String, VaultError>, Never>

  let time = QueueTestClock()
  let queue: PromptQueue
  let record = QuestionRecord()

  init() {
    queue = PromptQueue(clock: time.clock)
  }

  /// Starts a task that waits, and returns when it is in the queue.
  ///
  /// - Parameters:
  ///   - key: Its key, which the record shows.
  ///   - limit: Its limit.
  ///   - ask: Answers; the default answers with the key.
  /// - Returns: The task.
  func wait<Key: Hashable & Sendable>(
    _ key: Key, within limit: Duration = .seconds(60), _ ask: Ask? = nil
  ) async -> Waiting {
    let before = queue.length
    let task = start(key, within: limit, ask)
    await queue.reaches(before + 1)
    return task
  }

  /// Starts a task that waits and looks again, and returns when it is in the queue.
  func wait<Key: Hashable & Sendable>(
    _ key: Key, finding found: @escaping @Sendable () throws(VaultError) -> String?
  ) async -> Waiting {
    let before = queue.length
    let task = start(key, within: .seconds(60), finding: found, ask: nil)
    await queue.reaches(before + 1)
    return task
  }

  /// Starts a task that waits, and returns at once.
  func start<Key: Hashable & Sendable>(
    _ key: Key, within limit: Duration = .seconds(60), _ ask: Ask? = nil
  ) -> Waiting {
    start(key, within: limit, finding: { nil }, ask: ask)
  }

  private func start<Key: Hashable & Sendable>(
    _ key: Key, within limit: Duration,
    finding found: @escaping @Sendable () throws(VaultError) -> String?, ask: Ask?
  ) -> Waiting {
    let name = "\(key)"
    return Task.detached { [queue, record] in
      do throws(VaultError) {
        return .success(
          try await queue.reply(to: key, within: limit, lookAgain: found) {
            () async throws(VaultError) -> Asked in
            record.begin(name)
            defer { record.end() }
            return try await ask?() ?? Asked(reply: name)
          })
      } catch {
        return .failure(error)
      }
    }
  }

  /// Holds the queue until the gate is open, with a key that nobody else has.
  func hold(_ gate: Gate) async -> Waiting {
    await wait("the first") { () async throws(VaultError) -> Asked in
      await gate.pass()
      return Asked(reply: "done")
    }
  }
}

@Suite("PromptQueue", .timeLimit(.minutes(5))) struct PromptQueueTests {
  private let test = QueueOfTest()
  private let gate = Gate()
  private let interrupted = Result<String, VaultError>.failure(VaultError(.interrupted, ""))
  private let unanswered = Result<String, VaultError>.failure(VaultError(.unavailable, ""))

  @Test("all that wait with one key get one answer, and no thread is blocked meanwhile")
  func shared() async {
    let first = await test.wait("a") { [gate] () async throws(VaultError) -> QueueOfTest.Asked in
      await gate.pass()
      return .init(reply: "x")
    }
    let others = (0..<500).map { _ in test.start("a") }
    await test.queue.reaches(501)
    gate.open()
    #expect(await first.value == .success("x"))
    for other in others { #expect(await other.value == .success("x")) }
    #expect(test.record.asked == ["a"])
    await test.queue.comesToRest()
  }

  @Test(
    "questions are put one at a time, first come, first served; keys are equal in their type only")
  func order() async {
    let first = await test.hold(gate)
    let tasks = [
      await test.wait("b"), await test.wait(1), await test.wait(1.0), await test.wait(UInt8(1)),
      await test.wait("b"), await test.wait(1), await test.wait("c"),
    ]
    gate.open()
    var replies: [String] = []
    for task in [first] + tasks { replies.append((try? await task.value.get()) ?? "error") }
    #expect(replies == ["done", "b", "1", "1.0", "1", "b", "1", "c"])
    #expect(test.record.asked == ["the first", "b", "1", "1.0", "1", "c"])
    #expect(test.record.mostAtOnce == 1)
  }

  @Test("one key for two types of reply is two questions")
  func types() async throws {
    let first = await test.hold(gate)
    let text = await test.wait("k")
    let number = Task { [queue = test.queue] in
      try await queue.reply(to: "k", within: .seconds(60), lookAgain: { nil }) {
        () async throws(VaultError) in PromptQueue.Asked(reply: 7)
      }
    }
    await test.queue.reaches(3)
    gate.open()
    _ = await first.value
    #expect(await text.value == .success("k"))
    #expect(try await number.value == 7)
  }

  @Test("who finds a reply in turn is not asked, and the others with the key still are")
  func lookingAgain() async {
    let first = await test.hold(gate)
    let found = await test.wait("k", finding: { "found" })
    let failed = await test.wait(
      "k", finding: { () throws(VaultError) in throw VaultError(.locked, "") })
    let asked = await test.wait("k")
    gate.open()
    _ = await first.value
    #expect(await found.value == .success("found"))
    #expect(await failed.value == .failure(VaultError(.locked, "")))
    #expect(await asked.value == .success("k"))
    #expect(test.record.asked == ["the first", "k"])
  }

  @Test("an error of the prompt is the answer of all that wait with the key, and of no other")
  func failing() async {
    let first = await test.hold(gate)
    let ask: QueueOfTest.Ask = { () async throws(VaultError) in throw VaultError(.busy, "") }
    let tasks = [await test.wait("k", ask), await test.wait("k", ask)]
    let other = await test.wait("other")
    gate.open()
    _ = await first.value
    for task in tasks { #expect(await task.value == .failure(VaultError(.busy, ""))) }
    #expect(await other.value == .success("other"))
    #expect(test.record.asked == ["the first", "k", "other"])
  }

  // MARK: Cancellations of the prompt

  @Test("a cancelled request ends alone, and the others with its key are asked in turn")
  func cancelRequest() async {
    let first = await test.hold(gate)
    let cancelled = await test.wait("k") { () async throws(VaultError) in
      .init(reply: "cancelled", cancels: .request)
    }
    let other = await test.wait("other")
    let again = [await test.wait("k"), await test.wait("k")]
    gate.open()
    _ = await first.value
    #expect(await cancelled.value == .success("cancelled"))
    #expect(await other.value == .success("other"))
    for task in again { #expect(await task.value == .success("k")) }
    #expect(test.record.asked == ["the first", "k", "other", "k"])
  }

  @Test("a cancelled space ends all that wait with its key")
  func cancelSpace() async {
    let first = await test.hold(gate)
    let ask: QueueOfTest.Ask = { () async throws(VaultError) in
      .init(reply: "cancelled", cancels: .space)
    }
    let tasks = [await test.wait("k", ask), await test.wait("k", ask), await test.wait("k", ask)]
    let other = await test.wait("other")
    gate.open()
    _ = await first.value
    for task in tasks { #expect(await task.value == .success("cancelled")) }
    #expect(await other.value == .success("other"))
  }

  @Test("a cancellation of all ends everybody that waits, and nobody that comes later")
  func cancelAll() async {
    let tasks = [
      await test.wait("k") { [gate] () async throws(VaultError) -> QueueOfTest.Asked in
        await gate.pass()
        return .init(reply: "cancelled", cancels: .all)
      }, await test.wait("k"), await test.wait("other"), await test.wait(1),
    ]
    gate.open()
    for task in tasks { #expect(await task.value == interrupted) }
    #expect(test.record.asked == ["k"])
    #expect(await test.start("k").value == .success("k"))
  }

  // MARK: Leaving

  @Test("who leaves while being asked for ends at once, and the question goes on for the others")
  func leaderLeaves() async {
    let isCancelled = Lock(false)
    let first = await test.wait("k") { [gate] () async throws(VaultError) -> QueueOfTest.Asked in
      await gate.pass()
      isCancelled.withLock { $0 = Task.isCancelled }
      return .init(reply: "x")
    }
    let others = [await test.wait("k"), await test.wait("k")]
    first.cancel()
    #expect(await first.value == interrupted)
    #expect(test.queue.length == 2)
    gate.open()
    for other in others { #expect(await other.value == .success("x")) }
    #expect(!isCancelled.withLock { $0 })
    #expect(test.record.asked == ["k"])
  }

  @Test("after who was asked for has left, a cancelled request is the next one's")
  func leadershipPasses() async {
    let first = await test.wait("k") { [gate] () async throws(VaultError) -> QueueOfTest.Asked in
      await gate.pass()
      return .init(reply: "cancelled", cancels: .request)
    }
    let second = await test.wait("k")
    let third = await test.wait("k")
    first.cancel()
    #expect(await first.value == interrupted)
    gate.open()
    #expect(await second.value == .success("cancelled"))
    #expect(await third.value == .success("k"))
  }

  @Test("after the last has left the prompt is cancelled, and the line waits for its end")
  func lastLeaves() async {
    let seen = Gate()
    let first = await test.wait("k") { [gate] () async throws(VaultError) -> QueueOfTest.Asked in
      await Gate().passUnlessCancelled()
      seen.open()
      await gate.pass()
      return .init(reply: "too late")
    }
    let other = await test.wait("other")
    first.cancel()
    #expect(await first.value == interrupted)
    await seen.pass()
    let anew = await test.wait("k")
    #expect(test.record.asked == ["k"])
    gate.open()
    #expect(await other.value == .success("other"))
    #expect(await anew.value == .success("k"))
    #expect(test.record.asked == ["k", "other", "k"])
    #expect(test.record.mostAtOnce == 1)
    await test.queue.comesToRest()
  }

  @Test("who waits behind a question leaves at once and is not asked")
  func waiterLeaves() async {
    let first = await test.hold(gate)
    let waiting = await test.wait("k")
    waiting.cancel()
    #expect(await waiting.value == interrupted)
    gate.open()
    _ = await first.value
    #expect(test.record.asked == ["the first"])
  }

  @Test("who is cancelled before coming does not enter")
  func cancelledBefore() async {
    let task = Task { [test, gate] in
      await gate.pass()
      return try await test.queue.reply(to: "k", within: .seconds(60), lookAgain: { nil }) {
        () async throws(VaultError) in QueueOfTest.Asked(reply: "x")
      }
    }
    task.cancel()
    gate.open()
    await #expect(throws: VaultError(.interrupted, "")) { try await task.value }
    #expect(test.queue.isAtRest)
  }

  // MARK: Limits

  @Test("a question that nobody answers is cancelled, its waiters end, and those behind are asked")
  func limit() async {
    let ask: QueueOfTest.Ask = { () async throws(VaultError) in
      await Gate().passUnlessCancelled()
      return .init(reply: "late")
    }
    let tasks = [await test.wait("k", ask), await test.wait("k", ask)]
    let other = await test.wait("other")
    test.time.pass(.seconds(59))
    #expect(test.queue.length == 3)
    test.time.pass(.seconds(1))
    for task in tasks { #expect(await task.value == unanswered) }
    #expect(await other.value == .success("other"))
    await test.queue.comesToRest()
  }

  @Test("behind a prompt that ignores its cancellation everybody ends after their own limit")
  func deafPrompt() async {
    let deaf = await test.hold(gate)
    let patient = await test.wait("patient", within: .seconds(90))
    let hasty = await test.wait("hasty", within: .seconds(10))
    test.time.pass(.seconds(10))
    #expect(await hasty.value == unanswered)
    test.time.pass(.seconds(50))
    #expect(await deaf.value == unanswered)
    // The withdrawal advanced the queue: the limit of the next ones restarts.
    test.time.pass(.seconds(89))
    #expect(test.queue.length == 1)
    let late = test.start("late", within: .zero)
    #expect(await late.value == unanswered)
    test.time.pass(.seconds(1))
    #expect(await patient.value == unanswered)
    #expect(test.record.asked == ["the first"])
    gate.open()
    #expect(await test.start("after").value == .success("after"))
    await test.queue.comesToRest()
  }

  @Test("a limit that no clock can hold is one that never comes", arguments: [Int64.max, .min])
  func extremes(_ seconds: Int64) async {
    let reply = test.start("k", within: .seconds(seconds)) {
      [gate] () async throws(VaultError) in
      await gate.passUnlessCancelled()
      return .init(reply: "x")
    }
    if seconds < 0 {
      #expect(await reply.value == unanswered)
    } else {
      await test.queue.reaches(1)
      test.time.pass(.seconds(1_000_000))
      gate.open()
      #expect(await reply.value == .success("x"))
    }
  }

  // MARK: Prompts that ask

  @Test("a prompt that asks while it answers is refused at once, and may ask afterwards")
  func reentry() async {
    let later = Lock<QueueOfTest.Waiting?>(nil)
    let outer = test.start("k") { [test, gate] () async throws(VaultError) in
      // Inherits the task-local value by which the queue knows the prompt, and outlives the
      // question.
      let heir = Task { () -> Result<String, VaultError> in
        await gate.pass()
        do throws(VaultError) {
          return .success(
            try await test.queue.reply(to: "k", within: .seconds(60), lookAgain: { nil }) {
              () async throws(VaultError) in QueueOfTest.Asked(reply: "afterwards")
            })
        } catch {
          return .failure(error)
        }
      }
      later.withLock { $0 = heir }
      return .init(
        reply: try await test.queue.reply(to: "inner", within: .seconds(60), lookAgain: { nil }) {
          () async throws(VaultError) in QueueOfTest.Asked(reply: "never")
        })
    }
    #expect(await outer.value == unanswered)
    gate.open()
    #expect(await later.withLock { $0 }?.value == .success("afterwards"))
  }
}
