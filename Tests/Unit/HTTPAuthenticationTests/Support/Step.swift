import HTTPAuthentication
import VaultModel

extension Step {
  /// The fields to send next; nil at the end.
  var fields: [AuthorizationField]? {
    if case .send(let fields) = self { return fields }
    return nil
  }

  /// The schemes of the fields to send next; none at the end.
  var schemes: [AuthenticationMethod] {
    (fields ?? []).map { $0.digest == nil ? .basic : .digest }
  }

  /// The outcome; nil if the exchange continues.
  var outcome: Outcome? {
    if case .finish(let outcome) = self { return outcome }
    return nil
  }

  /// The reason for the end; nil if the exchange continues.
  var reason: Outcome.Reason? { outcome?.reason }
}

extension Authenticator {
  /// Begins the exchange of a GET.
  func exchange(_ url: String, through proxy: Proxy? = nil) throws -> Exchange {
    try exchange(for: .get(url, through: proxy))
  }
}
