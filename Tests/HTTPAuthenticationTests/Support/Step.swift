import HTTPAuthentication
import VaultModel

extension Step {
  /// What is sent next; nil at the end.
  var fields: [AuthorizationField]? {
    if case .send(let fields) = self { return fields }
    return nil
  }

  /// The schemes of what is sent next; none at the end.
  var schemes: [AuthenticationMethod] {
    (fields ?? []).map { $0.digest == nil ? .basic : .digest }
  }

  /// How it ended; nil if it goes on.
  var outcome: Outcome? {
    if case .finish(let outcome) = self { return outcome }
    return nil
  }

  /// Why it ended; nil if it goes on.
  var reason: Outcome.Reason? { outcome?.reason }
}

extension Authenticator {
  /// Begins the exchange of a GET.
  func exchange(_ url: String, through proxy: Proxy? = nil) throws -> Exchange {
    try exchange(for: .get(url, through: proxy))
  }
}
