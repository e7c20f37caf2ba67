import CVaultCurl
import Dispatch
package import HTTPAuthentication
import TestSupport
package import VaultModel

/// libcurl in this process: a transport that answers nothing by itself and follows no redirect.
///
/// Each request has a connection of its own, and blocks a thread of its own.
package enum CurlClient {
  /// Sends a request and waits for its response.
  ///
  /// - Throws: ``CurlFailure`` if there is no response at all.
  package static func send(_ request: CurlRequest) async throws -> CurlReply {
    guard isReady else { throw CurlFailure(description: "libcurl is not ready") }
    return try await inThread {
      places.wait()
      defer { places.signal() }
      return try perform(request)
    }
  }

  /// The limit on simultaneous requests: each needs a handful of descriptors, and a user may have
  /// no more than 1024.
  private static let places = DispatchSemaphore(value: 64)

  /// Whether the library is initialized, once and before the first thread uses it.
  private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

  private static func perform(_ request: CurlRequest) throws -> CurlReply {
    let transfer = try CurlTransfer(request)
    return try transfer.run()
  }
}

/// One request, as ``CurlClient`` sends it.
package struct CurlRequest: Sendable {
  /// The user for whom curl itself answers the challenges.
  package struct Login: Sendable {
    let credential: Credential
    let method: AuthenticationMethod

    /// Creates a login with the one scheme that it is for: Basic or Digest.
    package init(_ credential: Credential, method: AuthenticationMethod) {
      self.credential = credential
      self.method = method
    }
  }

  /// The method.
  package var method: String
  /// The URL, without user and password.
  package var url: String
  /// The fields for the server and the proxy, each sent only there.
  package var fields: [AuthorizationField]
  /// The proxy's URL; nil for none, whatever the environment says.
  package var proxy: String?
  /// Whether the proxy is asked for a tunnel, also to a server without TLS.
  package var isTunnelled = false
  /// The login with which curl answers the server.
  package var login: Login?
  /// The login with which curl answers the proxy.
  package var proxyLogin: Login?

  /// Describes a request; the other attributes are the caller's to set.
  package init(_ method: String = "GET", url: String, fields: [AuthorizationField] = []) {
    self.method = method
    self.url = url
    self.fields = fields
  }
}

/// The reply to a ``CurlRequest``.
package struct CurlReply: Sendable {
  /// All responses in their order: those to `CONNECT`, then the server's; several if curl answers
  /// challenges.
  package let responses: [ResponseHead]
  /// The body of the last response, read as UTF-8.
  package let body: String

  /// The last response: the server's, or the proxy's if it opened no tunnel.
  package var response: ResponseHead { responses.last ?? ResponseHead(status: 0, fields: []) }
  /// The last response's status.
  package var status: Int { response.status }

  /// Returns the values of a field of the last response, in their order.
  package func values(of name: String) -> [String] {
    response.fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }
}

/// A failure of libcurl.
package struct CurlFailure: Error, CustomStringConvertible {
  /// libcurl's own message.
  package let description: String
}

/// Collects the data that libcurl passes on while it runs.
final class CurlReader {
  private(set) var responses: [ResponseHead] = []
  private(set) var body: [UInt8] = []
  private var fields: [ResponseHead.Field] = []
  private var status = 0

  /// Reads a line of a response's head.
  static let readLine: curl_write_callback = { bytes, size, count, context in
    guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
    // libcurl calls with as many bytes as it says, and with the reader that lives until it returns.
    let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    unsafe Unmanaged<CurlReader>.fromOpaque(context).takeUnretainedValue()
      .read(line: String(decoding: line, as: UTF8.self))
    return size * count
  }

  /// Reads a part of a body.
  static let readBody: curl_write_callback = { bytes, size, count, context in
    guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
    // As above.
    let part = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    unsafe Unmanaged<CurlReader>.fromOpaque(context).takeUnretainedValue().body.append(
      contentsOf: part)
    return size * count
  }

  private func read(line: String) {
    let line = line.split(whereSeparator: \.isNewline).first ?? ""
    if line.isEmpty {
      responses.append(ResponseHead(status: status, fields: fields))
    } else if line.hasPrefix("HTTP/") {
      let words = line.split(separator: " ")
      status = words.count > 1 ? Int(words[1]) ?? 0 : 0
      fields = []
      body = []
    } else if let colon = line.firstIndex(of: ":") {
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      fields.append(ResponseHead.Field(String(line[..<colon]), String(value)))
    }
  }
}
