import Foundation
import FoundationNetworking
import TestSupport
import URLSessionTesting
import VaultURLSession

/// The number of loads that each scenario of cancellation cancels.
private let count = 600

/// Starts a server that challenges, redirects, and answers, so that a load is cancelled in each of
/// them.
private func server() throws -> ScriptedServer {
  try ScriptedServer(
    ScriptedLogin.basic(["ann": "right"]) { request, user in
      request.target == "/end" ? .text("OK \(user)") : .redirect(to: "/end")
    })
}

/// Waits some turns, so that the moments differ.
private func wait(_ random: inout SplitMix) async {
  for _ in 0..<Int.random(in: 0...200, using: &random) { await Task.yield() }
  if Bool.random(using: &random) { usleep(UInt32.random(in: 0...3000, using: &random)) }
}

/// The operations that both kinds of tasks have.
private protocol Cancellable {
  func resume()
  func cancel()
}

extension AuthenticatedTask: Cancellable {}
extension URLSessionTask: Cancellable {}

/// Starts ten tasks, cancels each at some moment, and waits until all have called their handlers.
private func startAndCancel(
  _ random: inout SplitMix, _ task: (_ end: @escaping @Sendable () -> Void) -> some Cancellable
) async {
  let group = DispatchGroup()
  let tasks = (0..<10).map { _ in
    group.enter()
    return task { group.leave() }
  }
  for task in tasks { task.resume() }
  for task in tasks {
    await wait(&random)
    task.cancel()
  }
  await withCheckedContinuation { all in group.notify(queue: .global()) { all.resume() } }
}

func cancelledTasks(_ engine: Engine) async throws -> [String] {
  let server = try server()
  let stage = SessionFixture()
  try stage.store(["ann": "right"], at: server)
  let plain = stage.session
  var random = SplitMix(seed: 7)
  for round in 0..<count / 10 {
    // A new one has to be challenged again.
    let session = try engine.session(over: plain, by: stage.vault)
    let url = server.url(round.isMultiple(of: 2) ? "/begin" : "/end")
    let tasks = (0..<10).map { _ in Task { await outcome { try await session.data(from: url) } } }
    for task in tasks {
      await wait(&random)
      task.cancel()
    }
    for task in tasks { _ = await task.value }
  }
  return ["all ended", try await unrelated()]
}

func cancelledHandlers(_ engine: Engine) async throws -> [String] {
  let server = try server()
  let stage = SessionFixture()
  try stage.store(["ann": "right"], at: server)
  let plain = stage.session
  var random = SplitMix(seed: 8)
  for round in 0..<count / 10 {
    let session = try engine.session(over: plain, by: stage.vault)
    let url = server.url(round.isMultiple(of: 2) ? "/begin" : "/end")
    await startAndCancel(&random) { end in session.dataTask(with: url) { _, _, _ in end() } }
  }
  return ["all ended", try await unrelated()]
}

/// Cancels loads with an app's own delegate, which answers.
///
/// Foundation suspends the task to send it again, and traps on a cancellation meanwhile.
func stockCancelled() async throws -> [String] {
  let server = try ScriptedServer(ScriptedLogin.basic(["app": "right"]))
  let session = URLSession(
    configuration: .ephemeral, delegate: AppDelegate(), delegateQueue: nil)
  var random = SplitMix(seed: 9)
  for _ in 0..<count / 10 {
    await startAndCancel(&random) { end in
      session.dataTask(with: server.url()) { _, _, _ in end() }
    }
  }
  return ["all ended", try await unrelated()]
}
