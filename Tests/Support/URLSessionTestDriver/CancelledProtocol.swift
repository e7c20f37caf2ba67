import CTestEnvironment
import CredentialVault
import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import TLSCredentials
import TestSupport
import URLSessionTesting
import VaultModel
import VaultTransport
import VaultURLSession

/// Sends requests over the transport, 50 at once, of which a part is cancelled at a random moment.
///
/// Arguments: `transport` for its own interface, or `protocol` for tasks of URLSession, of all
/// kinds; the number of requests; how many of a hundred are cancelled; the seed; and the URL of a
/// server with the certificate that it is trusted by, or neither for one in this process. The
/// server challenges, redirects and has large pages.
func cancelledOverTransport(_ arguments: [String]) async throws -> [String] {
  guard arguments.count >= 4, let count = Int(arguments[1]), let percent = Int(arguments[2]),
    let seed = UInt64(arguments[3])
  else { return ["no such requests"] }
  let server = try ScriptedServer(
    ScriptedLogin.basic(["ann": "right"]) { request, user in
      switch request.target {
      case "/first": .redirect(to: "/page")
      case "/large": large
      default: .text("OK \(user)")
      }
    })
  let base = arguments.count > 5 ? arguments[4] : "http://127.0.0.1:\(server.port)"
  let vault = Vault.inMemory()
  let space = try ProtectionSpace(url: base, realm: "Team")
  try await vault.set(
    Credential(user: "ann", secret: Secret("right"), persistence: .session), for: space)
  var settings = Transport.Configuration()
  settings.proxy = .none
  if arguments.count > 5 {
    let anchor = Array(try Data(contentsOf: URL(filePath: arguments[5])))
    settings.trustPolicy = TrustPolicy(anchors: TrustAnchors(try Certificate.all(in: anchor)))
  }
  let transport = try Transport(vault: vault, configuration: settings)
  VaultURLProtocol.share(transport)
  let sender = try RandomTasks(transport)
  let rounds = RandomRounds(
    sender: sender, urls: ["/first", "/large", "/page"].map { base + $0 },
    isOwn: arguments[0] == "transport", percent: percent)
  // What a first round leaves stays: threads, connections, and the parts of memory they use.
  var codes = try await rounds.send(max(count / 5, 100), seed: ~seed)
  let before = try resources()
  let memory = memory_in_use()
  codes.formUnion(try await rounds.send(count, seed: seed))
  let others = codes.subtracting([200, URLError.cancelled.rawValue])
  // Connections end with their threads; the alarm ends a wait that has no end.
  while try resources() > before + 40 { await Task.yield() }
  let growth = memory_in_use() - memory
  sender.end()
  var facts = [others.isEmpty ? "all ended" : "\(others)"]
  // A server in this process keeps what it was asked, and Foundation something of its tasks.
  if arguments.count > 5, rounds.isOwn {
    facts.append(growth < mostGrowth ? "nothing stays" : "\(growth) bytes stay")
  }
  return facts + [try await unrelated()]
}

/// The bytes that may stay, for buffers of connections: with 5,000 requests, a leak of 400 bytes
/// each is more.
private let mostGrowth = 2 << 20

/// Rounds of random requests, 50 at once.
private struct RandomRounds {
  let sender: RandomTasks
  let urls: [String]
  let isOwn: Bool
  let percent: Int

  /// Returns the results that there were.
  func send(_ count: Int, seed: UInt64) async throws -> Set<Int> {
    var random = SplitMix(seed: seed)
    return try await withThrowingTaskGroup(of: Int.self, returning: Set<Int>.self) { group in
      var codes: Set<Int> = []
      for number in 0..<count {
        if number >= 50, let code = try await group.next() { codes.insert(code) }
        let delay =
          Int.random(in: 0..<100, using: &random) < percent
          ? Int.random(in: 0...20_000, using: &random) : nil
        let url = urls[Int.random(in: 0..<urls.count, using: &random)]
        let kind = isOwn ? 0 : Int.random(in: 1..<RandomTasks.kinds, using: &random)
        group.addTask { [sender] in try await sender.send(kind, url, cancelledAfter: delay) }
      }
      for try await code in group { codes.insert(code) }
      return codes
    }
  }
}

private let large: ScriptedResponse = {
  var response = ScriptedResponse.text("")
  response.body = [UInt8](repeating: 1, count: 1 << 20)
  return response
}()

/// The descriptors and threads of this process.
private func resources() throws -> Int {
  try ["fd", "task"].reduce(0) { count, folder in
    try count + FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(folder)").count
  }
}
