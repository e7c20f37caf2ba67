import CCurl
import Dispatch
import TestSupport

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
