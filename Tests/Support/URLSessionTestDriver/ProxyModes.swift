import CredentialVault
import Foundation
import FoundationNetworking
import Glibc
import HTTPAuthentication
import SecureMemory
import URLSessionTesting
import VaultModel
import VaultURLSession

/// Returns where Foundation by itself sends requests, for some environments.
///
/// - Parameter arguments: Each some variables and a URL, as in
///   `no_proxy=a,b|http_proxy=SERVER|http://host/`; SERVER is a proxy in this program.
/// - Returns: For each the field that logs in at the proxy, or `proxied` or `direct`.
func proxied(_ arguments: [String]) async -> [String] {
  var said: [String] = []
  for argument in arguments {
    said.append(await route(of: argument.split(separator: "|").map(String.init)))
  }
  return said
}

private func route(of words: [String]) async -> String {
  let answer = "through the proxy"
  guard
    let server = try? ScriptedServer({ request in
      .text("\(answer) \(request["Proxy-Authorization"] ?? "")")
    }), let url = words.last.flatMap(URL.init(string:))
  else { return "no server" }
  for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"] {
    // Nobody else reads the environment: no request is under way.
    unsafe unsetenv(name)
  }
  for word in words.dropLast() {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let value = parts[1].replacing("SERVER", with: "127.0.0.1:\(server.port)")
    // As above.
    unsafe setenv(String(parts[0]), String(value), 1)
  }
  let session = URLSession(configuration: .ephemeral)
  do {
    let (data, _) = try await session.data(from: url)
    let text = String(decoding: data, as: UTF8.self)
    guard text.hasPrefix(answer) else { return "direct" }
    return text.count > answer.count + 1 ? String(text.dropFirst(answer.count + 1)) : "proxied"
  } catch {
    return server.connections > 0 ? "proxy refused" : "direct"
  }
}

/// Gets a page through a proxy in this program that challenges with Digest, which libcurl by itself
/// does not answer.
///
/// The vault has `ann`, the default, and `eve` for it.
///
/// - Parameter arguments: The engine; for each request, the text before the proxy's host in the
///   environment; or `own`, for none and a request with a field of its own.
/// - Returns: For each the status, the user whom the proxy let pass or `proxy`, and how many
///   requests the proxy saw.
/// - Throws: Any error of a load.
func proxyLogins(_ arguments: [String]) async throws -> [String] {
  let users = ["ann": "right", "eve": "right", "pat": "right"]
  guard let engine = arguments.first.flatMap(Engine.init) else { throw POSIXError(.EINVAL) }
  var said: [String] = []
  for argument in arguments.dropFirst() {
    let proxy = try ScriptedServer { request in
      // libcurl sends its own Basic in a second line.
      let digest = request.fields.first { $0.value.hasPrefix("Digest ") }?.value
      let user = ScriptedLogin.digestUser(
        of: digest, method: request.method, users, realm: "Way Out", nonce: "a nonce")
      return user.map { .text($0) }
        ?? .proxyChallenge(
          "Digest realm=\"Way Out\", nonce=\"a nonce\", algorithm=SHA-256, qop=\"auth\"")
    }
    let vault = Vault.inMemory()
    let space = try ProtectionSpace(
      host: "127.0.0.1", port: proxy.port, protocol: .httpProxy, realm: "Way Out",
      authenticationMethod: .digest)
    for user in ["eve", "ann"] {
      _ = try vault.setDefaultCredential(
        Credential(user: user, secret: Secret("right"), persistence: .session), for: space)
    }
    let userInfo = argument == "own" ? "" : argument
    // Nobody else reads the environment: no request is under way.
    unsafe setenv("http_proxy", "http://\(userInfo)127.0.0.1:\(proxy.port)", 1)
    guard let url = URL(string: "http://x.test/") else { throw POSIXError(.EINVAL) }
    var request = URLRequest(url: url)
    if argument == "own" { request.setValue("Own", forHTTPHeaderField: "Proxy-Authorization") }
    let session = try engine.session(by: vault)
    let (data, response) = try await session.data(for: request)
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    said.append("\(status) \(String(decoding: data, as: UTF8.self)) \(proxy.requests.count)")
  }
  return said
}
