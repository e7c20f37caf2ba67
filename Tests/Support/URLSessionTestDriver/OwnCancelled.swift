import Foundation
import FoundationNetworking
import SecureMemory
import TestSupport
import URLSessionTesting
import VaultURLSession

/// Sends 500 requests of a session of the app's own, 50 at once, and cancels three in ten of them
/// at a random moment.
///
/// Arguments: whose session it is, and the seed. `vault` is a session of the vault; `app` one
/// without a vault, whose delegate answers; `open` one without a vault at a server without a login.
/// Every other task has a completion handler, the others tell the delegate; with `-told`, all do.
func cancelledOwn(_ arguments: [String]) async throws -> [String] {
  guard arguments.count == 2, let seed = UInt64(arguments[1]) else { return ["no such session"] }
  let words = arguments[0].split(separator: "-")
  let open: ScriptedServer.Script = { _ in .text("OK") }
  let login = ScriptedLogin.basic(["ann": "right", "app": "right"])
  let server = try ScriptedServer(words[0] == "open" ? open : login)
  let stage = SessionFixture()
  try stage.store(["ann": "right"], at: server)
  let ends = CompletionDelegate()
  let session =
    words[0] == "vault"
    ? URLSession(configuration: .ephemeral, vault: stage.vault, delegate: ends)
    : URLSession(configuration: .ephemeral, delegate: ends, delegateQueue: nil)
  let random = Lock(SplitMix(seed: seed))
  let isAllTold = words.count > 1
  let codes = await withTaskGroup(of: Int.self, returning: Set<Int>.self) { group in
    var codes: Set<Int> = []
    for number in 0..<500 {
      if number >= 50, let code = await group.next() { codes.insert(code) }
      let delay: Int? = random.withLock { random in
        Int.random(in: 0..<10, using: &random) < 3
          ? Int.random(in: 0...60_000, using: &random) : nil
      }
      group.addTask {
        await withCheckedContinuation { continuation in
          let isTold = isAllTold || number.isMultiple(of: 2)
          let task =
            isTold
            ? session.dataTask(with: server.url())
            : session.dataTask(with: server.url()) { _, response, error in
              continuation.resume(returning: code(response, error))
            }
          if isTold { ends.wait(for: task, continuation) }
          task.resume()
          guard let delay else { return }
          DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(delay)) {
            task.cancel()
          }
        }
      }
    }
    for await code in group { codes.insert(code) }
    return codes
  }
  let others = codes.subtracting([200, URLError.cancelled.rawValue])
  return [others.isEmpty ? "all ended" : "\(others)", try await unrelated()]
}

private func code(_ response: URLResponse?, _ error: (any Error)?) -> Int {
  (error as? URLError)?.code.rawValue ?? (response as? HTTPURLResponse)?.statusCode ?? 0
}

/// An app's delegate that answers challenges, and passes on the ends of tasks.
private final class CompletionDelegate: NSObject, URLSessionTaskDelegate {
  private let waiting = Lock<[Int: CheckedContinuation<Int, Never>]>([:])

  func wait(for task: URLSessionTask, _ continuation: CheckedContinuation<Int, Never>) {
    waiting.withLock { $0[task.taskIdentifier] = continuation }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping AppDelegate.Handler
  ) {
    completionHandler(
      .useCredential, URLCredential(user: "app", password: "right", persistence: .none))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    waiting.withLock { $0.removeValue(forKey: task.taskIdentifier) }?
      .resume(returning: code(task.response, error))
  }
}
