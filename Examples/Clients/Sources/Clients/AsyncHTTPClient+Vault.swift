import AsyncHTTPClient
import HTTPAuthentication
import NIOHTTP1

/// AsyncHTTPClient for an `Authenticator`; its `redirectConfiguration` is `.disallow`.
struct AsyncHTTPClientAdapter: HTTPClientAdapter {
  let client: HTTPClient

  func head(of request: HTTPClientRequest) throws -> RequestHead {
    RequestHead(request.method.rawValue, url: try RequestURL(request.url))
  }

  func head(of response: HTTPClientResponse) -> ResponseHead {
    ResponseHead(status: Int(response.status.code), fields: response.headers)
  }

  func send(
    _ request: HTTPClientRequest, adding fields: [AuthorizationField]
  ) async throws -> HTTPClientResponse {
    var request = request
    for field in fields {
      try field.value.withUTF8String { request.headers.replaceOrAdd(name: field.name, value: $0) }
    }
    return try await client.execute(request, timeout: .seconds(30))
  }

  func discard(_ response: HTTPClientResponse) async throws {
    // A longer body ends the connection instead.
    _ = try? await response.body.collect(upTo: 1 << 20)
  }
}
