// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import NIOCore
public import NIOHTTP1

/// Stands in for Vapor's URL.
public struct URI: ExpressibleByStringLiteral, Sendable {
  public let string: String

  public init(stringLiteral string: String) { self.string = string }
}

/// Stands in for a request of Vapor's client.
public struct ClientRequest: Sendable {
  public var method: HTTPMethod
  public var url: URI
  public var headers: HTTPHeaders
  public var body: ByteBuffer?

  public init(
    method: HTTPMethod = .GET, url: URI, headers: HTTPHeaders = HTTPHeaders(),
    body: ByteBuffer? = nil
  ) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }
}

/// Stands in for a response of Vapor's client.
public struct ClientResponse: Sendable {
  public var status: HTTPResponseStatus
  public var headers: HTTPHeaders

  public init(status: HTTPResponseStatus, headers: HTTPHeaders) {
    self.status = status
    self.headers = headers
  }
}

/// Stands in for Vapor's client.
public protocol Client: Sendable {
  func send(_ request: ClientRequest) -> EventLoopFuture<ClientResponse>
}
