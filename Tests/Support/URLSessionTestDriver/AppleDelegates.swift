import Foundation
import FoundationNetworking
import SecureMemory
import URLSessionTesting
import VaultURLSession

/// A delegate that knows only the session's method for challenges.
private class SessionLevel: NSObject, URLSessionDelegate, @unchecked Sendable {
  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping AppDelegate.Handler
  ) {
    completionHandler(
      .useCredential, URLCredential(user: "app", password: "right", persistence: .forSession))
  }
}

/// The same, with callbacks of tasks beside it.
private final class WithTasks: SessionLevel, URLSessionDataDelegate, @unchecked Sendable {}

func delegateSessionLevel() async throws -> [String] {
  let server = try ScriptedServer(ScriptedLogin.basic(["app": "right"]))
  var facts: [String] = []
  for app in [SessionLevel(), WithTasks()] {
    let session = SessionFixture().appSession(app)
    facts.append(await outcome { try await session.data(from: server.url()) })
  }
  return facts + [server.sent]
}

/// A delegate that answers through the challenge's sender, and never calls the handler.
private final class ThroughSender: NSObject, URLSessionTaskDelegate {
  typealias Answer =
    @Sendable (any URLAuthenticationChallengeSender, URLAuthenticationChallenge) -> Void
  private let answer: Answer

  init(_ answer: @escaping Answer) {
    self.answer = answer
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping AppDelegate.Handler
  ) {
    if let sender = challenge.sender { answer(sender, challenge) }
  }
}

func delegateSender() async throws -> [String] {
  let answers: [(String, ThroughSender.Answer)] = [
    (
      "use",
      { sender, challenge in
        let own = URLCredential(user: "app", password: "right", persistence: .none)
        sender.use(own, for: challenge)
        sender.cancel(challenge)
      }
    ),
    ("without", { $0.continueWithoutCredential(for: $1) }),
    ("cancel", { $0.cancel($1) }),
    ("default", { $0.performDefaultHandling(for: $1) }),
    ("reject", { $0.rejectProtectionSpaceAndContinue(with: $1) }),
  ]
  var facts: [String] = []
  for (name, answer) in answers {
    let server = try ScriptedServer(ScriptedLogin.basic(["app": "right"]))
    let session = SessionFixture().appSession(ThroughSender(answer))
    facts.append("\(name) \(await outcome { try await session.data(from: server.url()) })")
  }
  return facts + [try await unrelated()]
}

/// A delegate that keeps what each challenge says, and answers with one password after the other.
private final class Reader: NSObject, URLSessionTaskDelegate {
  private let state = Lock((facts: [String](), passwords: ["wrong", "right"]))

  var facts: [String] { state.withLock { $0.facts } }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping AppDelegate.Handler
  ) {
    let status = (challenge.failureResponse as? HTTPURLResponse)?.statusCode ?? 0
    let error = (challenge.error as? URLError)?.code.rawValue ?? 0
    let password = state.withLock { state in
      state.facts.append(
        "\(status), \(challenge.previousFailureCount) failures, error \(error), proposed "
          + (challenge.proposedCredential?.user ?? "nobody"))
      return state.passwords.removeFirst()
    }
    completionHandler(
      .useCredential, URLCredential(user: "app", password: password, persistence: .none))
  }
}

func delegateChallenge() async throws -> [String] {
  let server = try ScriptedServer(ScriptedLogin.basic(["app": "right"]))
  let stage = SessionFixture()
  try stage.store(["ann": "wrong"], at: server)
  let reader = Reader()
  let session = stage.appSession(reader)
  let data = await outcome { try await session.data(from: server.url()) }
  return reader.facts + [data]
}
