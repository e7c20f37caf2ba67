// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Stands in for NIO's bytes.
public struct ByteBuffer: Sendable {
  public var readableBytesView: [UInt8]

  public init(bytes: [UInt8]) { readableBytesView = bytes }
}

/// Stands in for NIO's span of time.
public struct TimeAmount: Sendable {
  public let nanoseconds: Int64

  public static func seconds(_ amount: Int64) -> TimeAmount {
    TimeAmount(nanoseconds: amount * 1_000_000_000)
  }
}

/// Stands in for a future of NIO, which here is fulfilled when it is made.
public struct EventLoopFuture<Value: Sendable>: Sendable {
  let result: Result<Value, any Error>

  public init(_ result: Result<Value, any Error>) { self.result = result }

  public func get() async throws -> Value { try result.get() }
}
