import CredentialVault
import Glibc
import HTTPAuthentication
import SecureMemory
import TLSCredentials
import VaultModel
import VaultTransport

// A program that requests URLs with the vault of its environment, and prints a line for each: the
// statuses, the outcome, and the page. Its arguments are `name=value`:
//
//   url=URL          requested in order; more of them are allowed
//   user=NAME        whose credential is wanted, for each URL in turn
//   count=N          how often each URL is requested
//   atOnce           whether all are requested at once
//   apart            whether each is by a transport of its own, which knows of no success
//   password=TEXT    what the prompt answers, for user= or the stored user
//   domain=TEXT      and the account domain
//   proof            whether servers have to prove who they are
//   anchor=FILE      the certificate, by DER, that servers' certificates are checked with
//   post=TEXT        sends this body
//   plain            speaks as a client that cannot tell connections apart
let pairs = CommandLine.arguments.dropFirst().map { word in
  word.split(separator: "=", maxSplits: 1).map(String.init)
}

func values(_ name: String) -> [String] {
  pairs.filter { $0[0] == name }.map { $0.count > 1 ? $0[1] : "" }
}

func has(_ name: String) -> Bool { !values(name).isEmpty }

/// Answers with the password of the arguments, once.
final class OneAnswer: CredentialPrompt {
  private let isAsked = Lock(false)

  func answer(_ question: Question) async -> Answer {
    let wasAsked = isAsked.withLock { asked in
      defer { asked = true }
      return asked
    }
    guard !wasAsked, let password = values("password").first else { return .goOnWithout }
    print(
      "asked for \(question.space.authenticationMethod)"
        + (question.requiresAccountDomain ? " with a domain" : ""))
    return .use(
      Credential(
        user: question.user ?? values("user").first ?? "", secret: Secret(password),
        persistence: .session, accountDomain: values("domain").first ?? ""))
  }
}

func anchors() throws -> TrustPolicy {
  var policy = TrustPolicy()
  guard let path = values("anchor").first else { return policy }
  var bytes: [UInt8] = []
  // The path ends with NUL.
  let file = unsafe open(path, O_RDONLY)
  var byte: UInt8 = 0
  // One byte of ours.
  while unsafe read(file, &byte, 1) == 1 { bytes.append(byte) }
  policy.anchors = TrustAnchors([try Certificate(der: bytes)])
  return policy
}

func describe(_ reason: Outcome.Reason) -> String {
  if case .mechanismFailed(let problem) = reason { return "mechanismFailed(\(problem.rawValue))" }
  return "\(reason)"
}

func visit(_ url: String, _ user: String?, by transport: Transport) async -> String {
  let statuses = Lock<[Int]>([])
  do {
    var request = try TransportRequest(has("post") ? "POST" : "GET", url)
    request.user = user
    if let body = values("post").first { request.body = .bytes(Array(body.utf8)) }
    request.handlers.response = { _, head in statuses.withLock { $0.append(head.status) } }
    let (response, body) = try await transport.data(for: request)
    let page = String(decoding: body, as: UTF8.self).split(separator: "\n").first ?? ""
    let text = response.status == 200 ? page : ""
    return "\(statuses.withLock(\.self)) \(describe(response.outcome.reason)) \(text)"
  } catch let error as VaultError {
    return "\(statuses.withLock(\.self)) error \(error.code): \(error.context)"
  } catch {
    return "error of another kind"
  }
}

let work = Task {
  let vault = try await Vault.open()
  var settings = Authenticator.Settings(requiresProof: has("proof"))
  settings.options.mayPrompt = has("password")
  var configuration = Transport.Configuration()
  configuration.proxy = .none
  configuration.trustPolicy = try anchors()
  func makeTransport() throws -> Transport {
    try Transport(
      authenticator: Authenticator(vault: vault, prompt: OneAnswer(), settings: settings),
      configuration: configuration)
  }
  let transport = try makeTransport()
  let users = values("user")
  let requests = (0..<(values("count").first.flatMap { Int($0) } ?? 1)).flatMap { _ in
    values("url").enumerated().map { index, url in
      (url, users.isEmpty ? nil : users[index % users.count])
    }
  }
  guard has("atOnce") else {
    for (url, user) in requests {
      let one = try has("apart") ? makeTransport() : transport
      print(await visit(url, user, by: one))
    }
    return
  }
  await withTaskGroup(of: String.self) { group in
    for (url, user) in requests {
      group.addTask { await "\(user ?? "-") \(visit(url, user, by: transport))" }
    }
    for await line in group { print(line) }
  }
}
do {
  try await work.value
} catch {
  print("error \(error)")
  exit(1)
}
