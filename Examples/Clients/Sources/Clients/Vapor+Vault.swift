import HTTPAuthentication
import NIOHTTP1
import Vapor

/// Vapor's client for an `Authenticator`: `req.client`, or that of the application.
struct VaporClientAdapter: HTTPClientAdapter {
  let client: any Client

  func head(of request: ClientRequest) throws -> RequestHead {
    RequestHead(request.method.rawValue, url: try RequestURL(request.url.string))
  }

  func head(of response: ClientResponse) -> ResponseHead {
    ResponseHead(status: Int(response.status.code), fields: response.headers)
  }

  func send(
    _ request: ClientRequest, adding fields: [AuthorizationField]
  ) async throws -> ClientResponse {
    var request = request
    for field in fields {
      try field.value.withUTF8String { request.headers.replaceOrAdd(name: field.name, value: $0) }
    }
    return try await client.send(request).get()
  }
}
