// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation
public import HTTPTypes

/// Stands in for the body of a message.
public final class HTTPBody: Sendable {
  /// Stands in for how often a body can be read.
  public enum IterationBehavior: Sendable {
    case single, multiple
  }

  public let iterationBehavior: IterationBehavior
  private let bytes: [UInt8]

  public init(_ bytes: [UInt8], iterationBehavior: IterationBehavior = .multiple) {
    self.bytes = bytes
    self.iterationBehavior = iterationBehavior
  }

  fileprivate var content: [UInt8] { bytes }
}

extension Array<UInt8> {
  public init(collecting body: HTTPBody, upTo maxBytes: Int) async throws { self = body.content }
}

/// Stands in for what intercepts the requests of a generated client.
public protocol ClientMiddleware: Sendable {
  func intercept(
    _ request: HTTPRequest, body: HTTPBody?, baseURL: URL, operationID: String,
    next: @Sendable (HTTPRequest, HTTPBody?, URL) async throws -> (HTTPResponse, HTTPBody?)
  ) async throws -> (HTTPResponse, HTTPBody?)
}
