import SecureMemory
import Testing
import TestSupport
import VaultModel

@testable import HTTPAuthentication

/// Thousands of requests that wait, leave, are answered, cancelled and forgotten, in any order.
@Suite("PromptQueue under stress", .timeLimit(.minutes(30))) struct PromptQueueStressTests {
  /// The behaviour of one request, drawn before it begins.
  private struct Plan: Sendable {
    let key: Int
    let limit: Duration
    let pauses: Int
    let leavesAfter: Int?
    let manner: Int
    let answerPauses: Int

    init(_ random: inout SplitMix) {
      key = .random(in: 0..<12, using: &random)
      limit = .seconds(Int.random(in: 0..<40, using: &random))
      pauses = .random(in: 0..<60, using: &random)
      leavesAfter =
        Int.random(in: 0..<4, using: &random) == 0 ? .random(in: 0..<80, using: &random) : nil
      manner = .random(in: 0..<40, using: &random)
      answerPauses = .random(in: 0..<6, using: &random)
    }
  }

  private static func pause(_ count: Int) async {
    for _ in 0..<count { await Task.yield() }
  }

  /// Prompts with a random behaviour: most answer, others cancel, fail, wait for their
  /// cancellation, or ignore it for a while.
  private static func ask(
    _ plan: Plan, _ record: QuestionRecord
  ) async throws(VaultError)
    -> PromptQueue.Asked<Int>
  {
    record.begin("\(plan.key)")
    defer { record.end() }
    await pause(plan.answerPauses)
    switch plan.manner {
    case 0: return .init(reply: plan.key, cancels: .all)
    case 1...3: return .init(reply: plan.key, cancels: .space)
    case 4...8: return .init(reply: plan.key, cancels: .request)
    case 9...11: throw VaultError(.busy, "")
    case 12...13: await Gate().passUnlessCancelled()
    case 14: await pause(500)
    default: break
    }
    return .init(reply: plan.key)
  }

  private static func request(
    _ plan: Plan, _ queue: PromptQueue, _ record: QuestionRecord
  ) async -> String {
    await pause(plan.pauses)
    do throws(VaultError) {
      let lookAgain = { @Sendable () throws(VaultError) -> Int? in
        if plan.manner == 39 { throw VaultError(.locked, "") }
        return plan.manner == 38 ? plan.key : nil
      }
      // Odd keys wait as texts.
      let reply =
        plan.key.isMultiple(of: 2)
        ? try await queue.reply(to: plan.key, within: plan.limit, lookAgain: lookAgain) {
          () async throws(VaultError) in try await ask(plan, record)
        }
        : try await queue.reply(to: "\(plan.key)", within: plan.limit, lookAgain: lookAgain) {
          () async throws(VaultError) in try await ask(plan, record)
        }
      return reply == plan.key ? "reply" : "the reply of another key"
    } catch {
      return error.code.description
    }
  }

  @Test(
    "everybody ends once and with what is theirs, one question at a time",
    arguments: 1...6 as ClosedRange<UInt64>)
  func everybodyEnds(_ seed: UInt64) async {
    let time = QueueTestClock()
    let queue = PromptQueue(clock: time.clock)
    let record = QuestionRecord()
    var random = SplitMix(seed: seed)
    let plans = (0..<2000).map { _ in Plan(&random) }
    let passing = Task {
      while !Task.isCancelled {
        time.pass(.seconds(1))
        await Self.pause(20)
      }
    }
    let outcomes = await withTaskGroup(of: String.self, returning: [String: Int].self) { group in
      for plan in plans {
        group.addTask {
          let task = Task { await Self.request(plan, queue, record) }
          if let pauses = plan.leavesAfter {
            await Self.pause(pauses)
            task.cancel()
          }
          return await task.value
        }
      }
      var outcomes: [String: Int] = [:]
      for await outcome in group { outcomes[outcome, default: 0] += 1 }
      return outcomes
    }
    passing.cancel()
    await queue.comesToRest()
    #expect(outcomes.values.reduce(0, +) == plans.count)
    let known: Set = ["reply", "interrupted", "unavailable", "busy", "locked"]
    #expect(known.isSuperset(of: outcomes.keys), "\(outcomes)")
    #expect((outcomes["reply"] ?? 0) > 0)
    #expect((outcomes["interrupted"] ?? 0) > 0)
    #expect(record.mostAtOnce == 1)
  }
}
