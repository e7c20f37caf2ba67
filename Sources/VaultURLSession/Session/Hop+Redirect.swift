import Foundation
import FoundationNetworking
import HTTPAuthentication

extension Hop {
  /// The request that a response leads to; nil if it leads nowhere, or where no HTTP is spoken.
  ///
  /// - Source: RFC 9110 §15.4, and the Fetch standard's HTTP-redirect fetch, which drops what was set by hand for another
  ///   origin.
  func redirected(by response: HTTPURLResponse) throws -> Hop? {
    nil
  }
}
