// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import NIOCore
public import NIOHTTP1

/// Stands in for the client.
public final class HTTPClient: Sendable {
  private let answer: @Sendable (HTTPClientRequest) -> HTTPClientResponse

  /// The stand-in's own: a client whose requests a closure answers.
  public init(answer: @escaping @Sendable (HTTPClientRequest) -> HTTPClientResponse) {
    self.answer = answer
  }

  public func execute(
    _ request: HTTPClientRequest, timeout: TimeAmount
  ) async throws -> HTTPClientResponse {
    answer(request)
  }
}

/// Stands in for the client's request.
public struct HTTPClientRequest: Sendable {
  public var url: String
  public var method: HTTPMethod
  public var headers: HTTPHeaders

  public init(url: String) {
    self.url = url
    method = .GET
    headers = HTTPHeaders()
  }
}

/// Stands in for the client's response.
public struct HTTPClientResponse: Sendable {
  /// Stands in for the body, a sequence of buffers.
  public struct Body: Sendable {
    public func collect(upTo maxBytes: Int) async throws -> ByteBuffer { ByteBuffer(bytes: []) }
  }

  public var status: HTTPResponseStatus
  public var headers: HTTPHeaders
  public var body: Body

  public init(status: HTTPResponseStatus, headers: HTTPHeaders) {
    self.status = status
    self.headers = headers
    body = Body()
  }
}
