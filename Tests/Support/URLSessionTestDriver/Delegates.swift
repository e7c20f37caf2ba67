import CredentialVault
import Foundation
import FoundationNetworking
import SecureMemory
import URLSessionTesting
import VaultModel
import VaultURLSession

/// An app's own delegate, which answers challenges as configured, and counts redirects.
final class AppDelegate: NSObject, URLSessionTaskDelegate {
  typealias Handler = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  private let answer: @Sendable (Handler) -> Void
  private let told = Lock(0)

  /// Answers with a credential of `app`, unless another answer is given.
  init(
    _ answer: @escaping @Sendable (Handler) -> Void = { handler in
      handler(
        .useCredential, URLCredential(user: "app", password: "right", persistence: .none))
    }
  ) {
    self.answer = answer
  }

  var redirects: Int { told.withLock { $0 } }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping Handler
  ) {
    answer(completionHandler)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    told.withLock { $0 += 1 }
    completionHandler(request)
  }
}

func delegateNobodyAnswers() async throws -> [String] {
  let server = try ScriptedServer(ScriptedLogin.basic(["ann": "right"]))
  let session = SessionFixture().appSession()
  let task = Lock<URLSessionTask?>(nil)
  let error = await withCheckedContinuation { (ended: CheckedContinuation<String, Never>) in
    let own = session.dataTask(with: server.url()) { _, _, error in
      ended.resume(returning: "error \((error as? URLError)?.code.rawValue ?? 0)")
    }
    task.withLock { $0 = own }
    own.resume()
  }
  let status = task.withLock { ($0?.response as? HTTPURLResponse)?.statusCode ?? 0 }
  return ["\(error), \(server.sent), response \(status)", try await unrelated()]
}

func delegateWrongPassword() async throws -> [String] {
  let server = try ScriptedServer(ScriptedLogin.basic(["ann": "right"]))
  let stage = SessionFixture()
  try stage.store(["ann": "wrong"], at: server)
  let session = stage.appSession()
  let data = await outcome { try await session.data(from: server.url()) }
  return ["\(data), \(server.sent)", try await unrelated()]
}

func delegateSeveralUsers() async throws -> [String] {
  let server = try ScriptedServer(ScriptedLogin.basic(["zoe": "right"]))
  let stage = SessionFixture()
  try stage.store(["ann": "wrong", "mia": "wrong", "zoe": "right"], at: server)
  let session = stage.appSession()
  let data = await outcome { try await session.data(from: server.url()) }
  return ["\(data), tried \(server.users)"]
}

func delegateDefaultUser() async throws -> [String] {
  let users = ["ann": "right", "mia": "right", "zoe": "right"]
  let server = try ScriptedServer(ScriptedLogin.basic(users))
  let stage = SessionFixture()
  try stage.store(
    ["ann": "right", "mia": "right", "zoe": "right"], at: server, defaultUser: "mia")
  let session = stage.appSession()
  let data = await outcome { try await session.data(from: server.url()) }
  return ["\(data), tried \(server.users)"]
}

func delegateAppAnswers() async throws -> [String] {
  let server = try ScriptedServer(ScriptedLogin.basic(["app": "right"]))
  let stage = SessionFixture()
  try stage.store(["ann": "wrong"], at: server)
  let session = stage.appSession(AppDelegate())
  let data = await outcome { try await session.data(from: server.url()) }

  let deaf = try ScriptedServer { _ in .challenge("Basic realm=\"Team\"") }
  let capped = stage.appSession(AppDelegate(), mostFailures: 3)
  let end = await outcome { try await capped.data(from: deaf.url()) }
  return [
    "\(data), tried \(server.users)",
    "capped after \(deaf.requests.count { $0.scheme != nil }): \(end)",
  ]
}

func delegateAppMisbehaves() async throws -> [String] {
  let answers: [(String, @Sendable (AppDelegate.Handler) -> Void)] = [
    ("nil", { $0(.useCredential, nil) }),
    ("default", { $0(.performDefaultHandling, nil) }),
    ("cancel", { $0(.cancelAuthenticationChallenge, nil) }),
    ("reject", { $0(.rejectProtectionSpace, nil) }),
  ]
  var facts: [String] = []
  for (name, answer) in answers {
    let server = try ScriptedServer(ScriptedLogin.basic(["app": "right"]))
    let session = SessionFixture().appSession(AppDelegate(answer))
    facts.append("\(name): \(await outcome { try await session.data(from: server.url()) })")
  }
  let server = try ScriptedServer(ScriptedLogin.basic(["app": "right"]))
  let twice = AppDelegate { handler in
    for _ in 1...2 {
      handler(
        .useCredential, URLCredential(user: "app", password: "right", persistence: .none))
    }
  }
  let session = SessionFixture().appSession(twice)
  let data = await outcome { try await session.data(from: server.url()) }
  return facts + ["twice: \(data), \(server.sent)", try await unrelated()]
}

func delegateRedirect() async throws -> [String] {
  let server = try ScriptedServer(
    ScriptedLogin.basic(["ann": "right"]) { _, _ in
      ScriptedResponse(302, ["Location": "/end"])
    })
  let stage = SessionFixture()
  try stage.store(["ann": "right"], at: server)
  let app = AppDelegate()
  let session = stage.appSession(app)
  let data = await outcome { try await session.data(from: server.url("/begin")) }
  return [
    "\(data), \(server.schemes), app \(app.redirects == 1 ? "told" : "told \(app.redirects)")"
  ]
}

func delegateOtherOrigin() async throws -> [String] {
  let second = try ScriptedServer(ScriptedLogin.basic(["ann": "right", "app": "right"]))
  let first = try ScriptedServer { [url = second.url("/secret").absoluteString] _ in
    .redirect(to: url)
  }
  let stage = SessionFixture()
  try stage.store(["ann": "right"], at: second)
  let session = stage.appSession(AppDelegate())
  let data = await outcome { try await session.data(from: first.url()) }
  return [data, "first, \(first.schemes)", "second, \(second.schemes)"]
}

func delegateDigestAndBasic() async throws -> [String] {
  let server = try ScriptedServer(ScriptedLogin.digest(["ann": "right"], offersBasic: true))
  let stage = SessionFixture()
  try stage.store(["ann": "right"], at: server)
  // The storage proposes the credential, and an app without a method of its own uses it.
  let app = AppDelegate { $0(.performDefaultHandling, nil) }
  let session = URLSession(configuration: .ephemeral, vault: stage.vault, delegate: app)
  return ["\(await outcome { try await session.data(from: server.url()) }), \(server.schemes)"]
}

func delegateManyAtOnce() async throws -> [String] {
  let server = try ScriptedServer(ScriptedLogin.basic(["ann": "right"]))
  let stage = SessionFixture()
  try stage.store(["ann": "right"], at: server)
  let session = stage.appSession()
  return ["\(await good(50) { try await session.data(from: server.url()) }) of 50"]
}

func delegateStorage() async throws -> [String] {
  let server = try ScriptedServer(ScriptedLogin.basic(["ann": "right"]))
  let stage = SessionFixture()
  try stage.store(["ann": "right"], at: server)
  let stock = URLCredentialStorage()
  let own = VaultCredentialStorage(stage.vault)
  var good = 0
  for storage in [stock, own] {
    let session = stage.appSession(storage: storage)
    for _ in 0..<10 {
      let data = await outcome { try await session.data(from: server.url()) }
      good += data == "200 OK ann" ? 1 : 0
    }
  }
  try await Vault.perform { try own.flush() }
  return [
    "\(good) of 20", "spaces in a stock storage: \(stock.allCredentials.count)",
    "spaces of the vault: \(own.allCredentials.count)",
  ]
}

func sessionOfVault() async throws -> [String] {
  let server = try ScriptedServer(ScriptedLogin.basic(["ann": "right"]))
  let stage = SessionFixture()
  try stage.store(["ann": "right"], at: server)
  let session = URLSession(configuration: .ephemeral, vault: stage.vault)
  let data = await outcome { try await session.data(from: server.url()) }
  let sent = server.sent
  let download = await outcome { try await contents(session.download(from: server.url())) }
  return ["\(data), \(sent)", "download \(download)", try await unrelated()]
}
