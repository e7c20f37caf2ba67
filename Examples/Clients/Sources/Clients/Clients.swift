import AsyncHTTPClient
import Foundation
import HTTPAuthentication
import HTTPTypes
import NIOCore
import NIOHTTP1
import OpenAPIRuntime
import Vapor

/// Sends one request by each client, to a server that asks for a login.
@main
struct Clients {
  static func main() async throws {
    let authenticator = Authenticator(vault: try await Vault.open())

    let async = AsyncHTTPClientAdapter(
      client: HTTPClient { request in
        let answer = Server.answer(field(request.headers))
        return HTTPClientResponse(
          status: HTTPResponseStatus(statusCode: answer.status), headers: HTTPHeaders(answer.fields)
        )
      })
    let request = HTTPClientRequest(url: "https://api.example.com/v1/async")
    let (response, outcome) = try await authenticator.send(request, by: async)
    print("AsyncHTTPClient \(response.status.code) \(outcome.reason)")

    let vapor = VaporClientAdapter(client: VaporClient())
    let page = ClientRequest(url: "https://api.example.com/v1/vapor")
    let (answer, end) = try await authenticator.send(page, by: vapor)
    print("Vapor \(answer.status.code) \(end.reason)")

    let middleware = VaultMiddleware(authenticator: authenticator)
    guard
      let server = URL(string: "https://api.example.com/v1"),
      let list = HTTPRequest(
        RequestHead("GET", url: try RequestURL("https://api.example.com/items?all")))
    else { return }
    let body = HTTPBody(Array("once".utf8), iterationBehavior: .single)
    let (items, content) = try await middleware.intercept(
      list, body: body, baseURL: server, operationID: "list"
    ) { request, body, _ in
      let sent = request.headerFields.first { $0.name.rawName == "Authorization" }?.value
      let answer = Server.answer(sent)
      let head = ResponseHead(status: answer.status, fields: answer.fields.map { .init($0, $1) })
      return (HTTPResponse(head), body)
    }
    let sent = try await [UInt8](collecting: content ?? HTTPBody([]), upTo: 100)
    print("OpenAPIRuntime \(items.status.code) \(String(decoding: sent, as: UTF8.self))")
  }

  static func field(_ headers: HTTPHeaders) -> String? {
    headers.first { $0.name == "Authorization" }?.value
  }
}

/// A client of Vapor in front of the same server.
struct VaporClient: Client {
  func send(_ request: ClientRequest) -> EventLoopFuture<ClientResponse> {
    let answer = Server.answer(Clients.field(request.headers))
    return EventLoopFuture(
      .success(
        ClientResponse(
          status: HTTPResponseStatus(statusCode: answer.status), headers: HTTPHeaders(answer.fields)
        )))
  }
}

/// The server: it lets in whoever has the user `ann` and the password `correct horse`.
enum Server {
  static func answer(_ field: String?) -> (status: Int, fields: [(String, String)]) {
    field == "Basic \(Data("ann:correct horse".utf8).base64EncodedString())"
      ? (200, []) : (401, [("www-authenticate", "Basic realm=\"API\"")])
  }
}
