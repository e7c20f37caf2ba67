import Foundation
import FoundationNetworking
import Glibc
import URLSessionTesting

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
