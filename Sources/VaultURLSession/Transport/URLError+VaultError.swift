import Foundation
import FoundationNetworking
import Glibc
import VaultModel

extension URLError {
  /// Returns the error that code for URLSession expects in place of a transport's; other errors are
  /// unchanged.
  static func translating(_ error: any Error, of url: URL?) -> any Error {
    guard let error = error as? VaultError, let code = URLError.Code(error) else {
      return error is CancellationError ? URLError(.cancelled) : error
    }
    // As they are compared in much code: Foundation compares the details, too.
    if code == .cancelled || code == .httpTooManyRedirects { return URLError(code) }
    var details: [String: Any] = [
      NSUnderlyingErrorKey: error, NSLocalizedDescriptionKey: error.description,
    ]
    if let url {
      details[NSURLErrorFailingURLErrorKey] = url
      details[NSURLErrorFailingURLStringErrorKey] = url.absoluteString
    }
    return URLError(code, userInfo: details)
  }
}

extension URLError.Code {
  /// The code for a transport's error; nil for one that is not of the network, such as a locked
  /// vault.
  fileprivate init?(_ error: VaultError) {
    switch error.code {
    case .interrupted: self = .cancelled
    case .invalidData: self = .cannotParseResponse
    case .missingInput: self = .fileDoesNotExist
    case .unavailable:
      guard case .errno(let number) = error.underlying else {
        self = .networkConnectionLost
        return
      }
      self = Self.numbers[number] ?? .cannotConnectToHost
    default: return nil
    }
  }

  private static let numbers: [Int32: URLError.Code] = [
    ECONNREFUSED: .cannotConnectToHost, EHOSTUNREACH: .cannotFindHost,
    ECONNRESET: .networkConnectionLost, ETIMEDOUT: .timedOut, ELOOP: .httpTooManyRedirects,
    EKEYREJECTED: .serverCertificateUntrusted, EPROTO: .secureConnectionFailed,
    ENOKEY: .clientCertificateRequired, EACCES: .clientCertificateRejected,
  ]
}
