import CredentialVault
import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import URLSessionTesting
import VaultModel
import VaultURLSession

func nobodyAnswers(_ engine: Engine) async throws -> [String] {
  let server = try ScriptedServer(ScriptedLogin.basic(["ann": "right"]))
  let session = try engine.session(by: .inMemory())
  let data = await outcome { try await session.data(from: server.url()) }
  let first = server.requests.count
  let download = await outcome { try await contents(session.download(from: server.url())) }
  return [
    "\(data), \(first) sent", "download \(download), \(server.requests.count - first) sent",
    try await unrelated(),
  ]
}

/// Returns the content of a download, and removes its file.
func contents(_ download: (URL, URLResponse)) throws -> (Data, URLResponse) {
  let data = try Data(contentsOf: download.0)
  try FileManager.default.removeItem(at: download.0)
  return (data, download.1)
}

func storageWithoutDelegate(_ engine: Engine) async throws -> [String] {
  let server = try ScriptedServer(ScriptedLogin.basic(["ann": "right"]))
  let stage = SessionFixture()
  try stage.store(["ann": "right"], at: server)
  let configuration = URLSessionConfiguration.ephemeral
  configuration.urlCredentialStorage = VaultCredentialStorage(stage.vault)
  let session = try engine.session(configuration, by: stage.vault)
  let data = await outcome { try await session.data(from: server.url()) }
  return ["\(data), \(server.sent)", try await unrelated()]
}

func wrongPassword(_ engine: Engine) async throws -> [String] {
  let server = try ScriptedServer(ScriptedLogin.basic(["ann": "right"]))
  let stage = SessionFixture()
  try stage.store(["ann": "wrong"], at: server)
  let session = try engine.session(by: stage.vault)
  let data = await outcome { try await session.data(from: server.url()) }
  return ["\(data), \(server.sent)", try await unrelated()]
}

func defaultUser(_ engine: Engine) async throws -> [String] {
  let users = ["ann": "right", "mia": "right", "zoe": "right"]
  let server = try ScriptedServer(ScriptedLogin.basic(users))
  let stage = SessionFixture()
  try stage.store(
    ["ann": "right", "mia": "right", "zoe": "right"], at: server, defaultUser: "mia")
  let session = try engine.session(by: stage.vault)
  return ["\(await outcome { try await session.data(from: server.url()) }), \(server.sent)"]
}

/// A prompt that always gives the same credential, and counts its calls.
private final class OneAnswer: CredentialPrompt {
  private let count = Lock(0)
  var times: Int { count.withLock { $0 } }

  func answer(_ question: Question) async -> Answer {
    count.withLock { $0 += 1 }
    return .use(Credential(user: "ann", secret: Secret("right"), persistence: .session))
  }
}

func manyAtOnce(_ engine: Engine) async throws -> [String] {
  var facts: [String] = []
  for count in [5, 50] {
    let server = try ScriptedServer(ScriptedLogin.basic(["ann": "right"]))
    let prompt = OneAnswer()
    let session = try engine.session(by: .inMemory(), prompt: prompt)
    let good = await good(count) { try await session.data(from: server.url()) }
    facts.append(
      "\(good) of \(count), asked \(prompt.times == 1 ? "once" : "\(prompt.times) times")")
  }
  return facts
}

/// Returns how many of that many simultaneous loads succeeded.
func good(
  _ count: Int, _ load: @escaping @Sendable () async throws -> (Data, URLResponse)
) async -> Int {
  await withTaskGroup { group in
    for _ in 0..<count { group.addTask { await outcome(load) } }
    return await group.reduce(0) { $0 + ($1 == "200 OK ann" ? 1 : 0) }
  }
}

func secondRequest(_ engine: Engine) async throws -> [String] {
  let server = try ScriptedServer(ScriptedLogin.basic(["ann": "right"]))
  let stage = SessionFixture()
  try stage.store(["ann": "right"], at: server)
  let session = try engine.session(by: stage.vault)
  let first = await outcome { try await session.data(from: server.url("/a/one")) }
  let second = await outcome { try await session.data(from: server.url("/a/two")) }
  return [first, second, server.schemes]
}

func userInURL(_ engine: Engine) async throws -> [String] {
  let server = try ScriptedServer(ScriptedLogin.digest(["ann": "right"]))
  let session = try engine.session(by: .inMemory())
  let url = server.url(user: "ann", password: "right")
  return [await outcome { try await session.data(from: url) }, server.schemes]
}

func ownField(_ engine: Engine) async throws -> [String] {
  let target = try ScriptedServer { _ in ScriptedResponse() }
  let server = try ScriptedServer { [url = target.url("/elsewhere").absoluteString] request in
    request.target == "/redirect" ? .redirect(to: url) : .challenge("Basic realm=\"Team\"")
  }
  let stage = SessionFixture()
  try stage.store(["ann": "right"], at: server)
  let session = try engine.session(by: stage.vault)
  func load(_ path: String) async -> String {
    var request = URLRequest(url: server.url(path))
    request.setValue("Basic bWlhOnJpZ2h0", forHTTPHeaderField: "Authorization")
    return await outcome { [request] in try await session.data(for: request) }
  }
  let own = await load("/")
  let ownFields = server.schemes
  let redirected = await load("/redirect")
  let last = server.requests.last?.scheme ?? "none"
  return [
    "\(own), \(ownFields)", "redirected \(redirected), fields: \(last)",
    "elsewhere, \(target.schemes)",
  ]
}

func redirectAfterChallenge(_ engine: Engine) async throws -> [String] {
  let server = try ScriptedServer(
    ScriptedLogin.basic(["ann": "right"]) { request, _ in
      request.target == "/end" ? .text("end") : .redirect(to: "/end")
    })
  let stage = SessionFixture()
  try stage.store(["ann": "right"], at: server)
  let session = try engine.session(by: stage.vault)
  return [
    "\(await outcome { try await session.data(from: server.url("/begin")) }), \(server.schemes)"
  ]
}

func digest(_ engine: Engine) async throws -> [String] {
  let server = try ScriptedServer(ScriptedLogin.digest(["ann": "right"]))
  let stage = SessionFixture()
  try stage.store(["ann": "right"], at: server)
  let session = try engine.session(by: stage.vault)
  return ["\(await outcome { try await session.data(from: server.url()) }), \(server.schemes)"]
}

func digestAndBasic(_ engine: Engine) async throws -> [String] {
  var facts: [String] = []
  for (password, label) in [("right", ""), ("wrong", "wrong password ")] {
    let server = try ScriptedServer(ScriptedLogin.digest(["ann": "right"], offersBasic: true))
    let stage = SessionFixture()
    try stage.store(["ann": password], at: server)
    let session = try engine.session(by: stage.vault)
    let data = await outcome { try await session.data(from: server.url()) }
    facts.append("\(label)\(data), \(server.schemes)")
  }
  return facts
}

func otherSchemes(_ engine: Engine) async throws -> [String] {
  let server = try ScriptedServer { request in
    .challenge(String(request.target.dropFirst()))
  }
  let stage = SessionFixture()
  try stage.store(["ann": "right"], at: server, realm: "")
  let session = try engine.session(by: stage.vault)
  var facts: [String] = []
  for scheme in ["NTLM", "Negotiate", "Bearer"] {
    let data = await outcome { try await session.data(from: server.url("/\(scheme)")) }
    facts.append("\(scheme) \(data)")
  }
  return facts + [server.sent]
}

func proxyStatus(_ engine: Engine) async throws -> [String] {
  let server = try ScriptedServer { _ in .proxyChallenge("Basic realm=\"Team\"") }
  let stage = SessionFixture()
  try stage.store(["ann": "right"], at: server)
  let session = try engine.session(by: stage.vault)
  return ["\(await outcome { try await session.data(from: server.url()) }), \(server.schemes)"]
}

func timeout(_ engine: Engine) async throws -> [String] {
  let gate = DispatchSemaphore(value: 0)
  let server = try ScriptedServer { request in
    if request.scheme != nil { gate.wait() }
    return .challenge("Basic realm=\"Team\"")
  }
  let stage = SessionFixture()
  try stage.store(["ann": "right"], at: server)
  let session = try engine.session(by: stage.vault)
  var request = URLRequest(url: server.url())
  request.timeoutInterval = 1
  let data = await outcome { [request] in try await session.data(for: request) }
  gate.signal()
  return [data, try await unrelated()]
}
