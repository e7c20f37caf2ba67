import Foundation
import FoundationNetworking
import HTTPAuthentication
import VaultModel
import VaultTransport

extension TransportRequest {
  /// Creates the request of a load, with the fields, limits and cookies of its configuration.
  ///
  /// - Parameters:
  ///   - request: The request as Foundation has it.
  ///   - body: The body; nil for that of the request.
  ///   - configuration: The settings of its session.
  /// - Throws: `URLError.badURL` if the URL is not valid for a request.
  init(
    _ request: URLRequest, body: TransportBody?, _ configuration: URLSessionConfiguration
  ) throws(URLError) {
    try self.init(request)
    if let body { self.body = body }
    for (name, value) in configuration.httpAdditionalHeaders ?? [:] {
      guard let name = name as? String, let value = value as? String, !has(name) else { continue }
      fields.append(ResponseHead.Field(name, value))
    }
    limits = TimeLimits(request, configuration)
    let cookies = RequestCookies(request, configuration)
    handlers.response = { url, head in cookies.store(head, of: url) }
    if cookies.areSent { handlers.cookie = { cookies.value(for: $0) } }
  }

  /// Creates a request from one of Foundation's.
  ///
  /// - Throws: `URLError.badURL` if the URL is not valid for a request.
  init(_ request: URLRequest) throws(URLError) {
    guard let url = request.url else { throw URLError(.badURL) }
    var text = url.absoluteString
    if text.mayHaveDotSegments { text = url.absoluteURL.standardized.absoluteString }
    do throws(VaultError) {
      try self.init(request.httpMethod ?? "GET", text)
    } catch {
      throw URLError(.badURL)
    }
    fields = (request.allHTTPHeaderFields ?? [:]).map { ResponseHead.Field($0.key, $0.value) }
    if let body = request.httpBody { self.body = .bytes(Array(body)) }
  }

  /// Returns whether it has a field of this name.
  func has(_ name: String) -> Bool {
    fields.contains { $0.name.hasSameBytesIgnoringCase(as: name) }
  }
}

extension URLRequest {
  /// Creates the request that a delegate is shown: without user and password.
  init?(_ request: TransportRequest) {
    guard let url = URL(string: request.url.withoutUserInfo.description) else { return nil }
    self.init(url: url)
    httpMethod = request.method
    for field in request.fields { setValue(field.value, forHTTPHeaderField: field.name) }
  }
}

extension TimeLimits {
  /// Creates the limits of a request: its own, or else its configuration's.
  fileprivate init(_ request: URLRequest, _ configuration: URLSessionConfiguration) {
    // Sixty seconds are what a request has that says nothing.
    let seconds =
      request.timeoutInterval == 60
      ? configuration.timeoutIntervalForRequest : request.timeoutInterval
    let limit = Duration(limit: seconds)
    let whole = configuration.timeoutIntervalForResource
    // Foundation's default, a week, or more is none.
    let isLimited = whole > 0 && whole < 7 * 24 * 3600
    self.init(connect: limit, idle: limit, total: isLimited ? Duration(limit: whole) : nil)
  }
}

extension Duration {
  fileprivate init(limit seconds: TimeInterval) {
    self = .milliseconds(Int64((min(max(seconds, 0.001), 1e9) * 1000).rounded(.up)))
  }
}

extension HTTPURLResponse {
  /// Creates a response from its parts; nil if Foundation refuses them.
  convenience init?(
    _ head: HTTPAuthentication.ResponseHead, version: String = "HTTP/1.1", of url: RequestURL
  ) {
    guard let url = URL(string: url.description) else { return nil }
    var fields: [String: String] = [:]
    var names: [String: String] = [:]
    for field in head.fields {
      // Fields of one name are one field (RFC 9110 §5.3), under the spelling that came first.
      let name = names[field.name.lowercased()] ?? field.name
      names[field.name.lowercased()] = name
      fields[name] = fields[name].map { "\($0), \(field.value)" } ?? field.value
    }
    self.init(url: url, statusCode: head.status, httpVersion: version, headerFields: fields)
  }
}

extension ResponseBody {
  /// Writes the rest into a temporary file.
  func save() async throws -> URL {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).tmp")
    try await write(toNewFile: file.path)
    return file
  }
}
