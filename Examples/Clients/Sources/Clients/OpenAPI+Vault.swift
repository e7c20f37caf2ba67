import Foundation
import HTTPAuthentication
import HTTPTypes
import OpenAPIRuntime

/// The middleware by which a client of swift-openapi-generator logs in; it comes last of all.
struct VaultMiddleware: ClientMiddleware {
  let authenticator: Authenticator

  func intercept(
    _ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String,
    next: @Sendable (HTTPRequest, HTTPBody?, URL) async throws -> (HTTPResponse, HTTPBody?)
  ) async throws -> (HTTPResponse, HTTPBody?) {
    // A body that can be read once is kept, because a challenge makes it be sent again.
    var body = body
    if let once = body, once.iterationBehavior == .single {
      body = HTTPBody(try await Array(collecting: once, upTo: 1 << 20))
    }
    // As transports join them, because Digest is computed of the path that is sent.
    let url = baseURL.absoluteString + (request.path ?? "")
    let head = RequestHead(request.method.rawValue, url: try RequestURL(url))
    let (response, _) = try await authenticator.send(head) { fields in
      var request = request
      for field in fields { try request.add(field) }
      let response = try await next(request, body, baseURL)
      return (ResponseHead(response.0), response)
    }
    return response
  }
}
