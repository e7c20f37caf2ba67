public import CVault
import CredentialVault
import HTTPAuthentication
import VaultModel

// Each pointer is what `vault_http.h` says of it; it is checked for NULL, and not kept. Places are
// written last.

/// Creates an authenticator; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_authenticator_create(
  _ vault: OpaquePointer?, _ options: vault_http_options_t,
  _ authenticator: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOut(at: authenticator) { () throws(VaultError) in
    let vault = try VaultHandle.at(vault).vault
    return AuthenticatorHandle(
      Authenticator(vault: vault, settings: try AuthenticatorOptions(options).settings))
  }
}

/// Frees an authenticator; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_authenticator_free(_ authenticator: OpaquePointer?) -> vault_status_t {
  guard unsafe authenticator != nil else { return VAULT_OK }
  return status { () throws(VaultError) in try AuthenticatorHandle.at(authenticator).end() }
}

/// Begins an exchange; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_exchange_create(
  _ authenticator: OpaquePointer?, _ request: OpaquePointer?,
  _ exchange: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOut(at: exchange) { () throws(VaultError) in
    let handle = try AuthenticatorHandle.at(authenticator)
    let request = try RequestHandle.at(request).content.head
    return ExchangeHandle(try handle.authenticator.exchange(for: request), handle.logins)
  }
}

/// Copies the URL of an exchange's request; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_exchange_copy_url(
  _ exchange: OpaquePointer?, _ url: UnsafeMutablePointer<vault_buffer_t>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let request = try ExchangeHandle.at(exchange).exchange.request
    let place = try unsafe required(url)
    // The buffer is the caller's.
    unsafe place.pointee = try vault_buffer_t(copying: request.url.description)
  }
}

/// Frees an exchange; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_exchange_free(_ exchange: OpaquePointer?) -> vault_status_t {
  guard unsafe exchange != nil else { return VAULT_OK }
  return status { () throws(VaultError) in try ExchangeHandle.at(exchange).end() }
}

/// Copies the fields of an exchange; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_exchange_copy_fields(
  _ exchange: OpaquePointer?,
  _ fields: UnsafeMutablePointer<UnsafeMutablePointer<vault_http_field_t>?>?,
  _ count: UnsafeMutablePointer<Int>?
) -> vault_status_t {
  unsafe giveOut(at: fields, count) { () throws(VaultError) in
    try ExchangeHandle.at(exchange).exchange.fields
  }
}

/// Takes a response and returns the next step; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_exchange_next(
  _ exchange: OpaquePointer?, _ response: OpaquePointer?, _ prompt: vault_http_prompt_t?,
  _ context: UnsafeMutableRawPointer?, _ step: UnsafeMutablePointer<vault_http_step_t>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ExchangeHandle.at(exchange)
    let arrived = try ResponseHandle.at(response)
    let (response, connection) = (arrived.head, arrived.connection)
    let place = try unsafe required(step)
    unsafe place.pointee = try handle.next { (exchange) throws(VaultError) in
      do {
        guard let prompt = unsafe prompt else {
          return try exchange.next(after: response, on: connection)
        }
        return try exchange.next(after: response, on: connection) { question in
          // The caller's function gets the caller's pointer.
          unsafe QuestionHandle.answer(question) { unsafe prompt($0, context) }
        }
      } catch let error as VaultError {
        throw error
      } catch {
        // unreachable: no function of C throws, and C has none that fetches tokens.
        throw VaultError(.internalError, "an exchange threw another error")
      }
    }
  }
}

/// Returns the owner of a connection; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_exchange_get_owner(
  _ exchange: OpaquePointer?, _ owner: UnsafeMutablePointer<UInt64>?,
  _ needs_new: UnsafeMutablePointer<CBool>?, _ keeps: UnsafeMutablePointer<CBool>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ExchangeHandle.at(exchange)
    let number = try unsafe required(owner)
    let (beginning, keeping) = (try unsafe required(needs_new), try unsafe required(keeps))
    let exchange = try handle.exchange
    // The places are the caller's.
    unsafe number.pointee = handle.logins.number(of: exchange.owner)
    unsafe beginning.pointee = exchange.needsNewConnection
    unsafe keeping.pointee = exchange.keepsConnection
  }
}

/// Copies why a mechanism failed; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_exchange_copy_mechanism_problem(
  _ exchange: OpaquePointer?, _ problem: UnsafeMutablePointer<vault_buffer_t>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ExchangeHandle.at(exchange)
    let place = try unsafe required(problem)
    guard case .mechanismFailed(let problem)? = handle.outcome?.reason else {
      throw VaultError(.invalidArgument, "no login of the exchange has failed")
    }
    // The buffer is the caller's.
    unsafe place.pointee = try vault_buffer_t(
      copying: "\(problem.rawValue): \(problem.message); \(problem.hint)")
  }
}

/// Returns how an exchange ended; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_exchange_get_outcome(
  _ exchange: OpaquePointer?, _ reason: UnsafeMutablePointer<vault_http_reason_t>?,
  _ storage: UnsafeMutablePointer<vault_status_t>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ExchangeHandle.at(exchange)
    let place = try unsafe required(reason)
    guard let outcome = handle.outcome else {
      throw VaultError(.invalidArgument, "the exchange has not ended")
    }
    unsafe place.pointee = vault_http_reason_t(outcome.reason)
    // A place that the caller may give.
    if let storage = unsafe storage {
      let code = outcome.storageError?.code.rawValue ?? 0
      unsafe storage.pointee = vault_status_t(UInt32(bitPattern: code))
    }
  }
}

/// Begins the exchange of a redirect; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_exchange_redirect(
  _ exchange: OpaquePointer?, _ url: UnsafePointer<CChar>?, _ url_count: Int,
  _ method: UnsafePointer<CChar>?, _ method_count: Int,
  _ next: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOut(at: next) { () throws(VaultError) in
    let handle = try ExchangeHandle.at(exchange)
    let exchange = try handle.exchange
    let url = try RequestURL(unsafe Input.text(required(url), url_count))
    let method = try unsafe Input.text(method, method_count)
    return ExchangeHandle(
      try exchange.redirected(to: url, method: method.isEmpty ? nil : method), handle.logins)
  }
}

/// The options of an authenticator.
private struct AuthenticatorOptions: OptionSet {
  let rawValue: UInt32

  static let afterChallenge = Self(rawValue: UInt32(VAULT_HTTP_AFTER_CHALLENGE))
  static let beforeChallenge = Self(rawValue: UInt32(VAULT_HTTP_BEFORE_CHALLENGE))
  static let withProof = Self(rawValue: UInt32(VAULT_HTTP_WITH_PROOF))
  static let withoutSession = Self(rawValue: UInt32(VAULT_HTTP_WITHOUT_SESSION))
  static let withoutStoring = Self(rawValue: UInt32(VAULT_HTTP_WITHOUT_STORING))
  static let tokensInClear = Self(rawValue: UInt32(VAULT_HTTP_TOKENS_IN_CLEAR))

  init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Reads the options of a caller.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for an unknown option, which would be ignored,
  ///   and for two that contradict each other.
  init(_ options: vault_http_options_t) throws(VaultError) {
    self.init(rawValue: options)
    let all: Self = [
      .afterChallenge, .beforeChallenge, .withProof, .withoutSession, .withoutStoring,
      .tokensInClear,
    ]
    guard isSubset(of: all), !isSuperset(of: [.afterChallenge, .beforeChallenge]) else {
      throw VaultError(.invalidArgument, "options that do not exist, or not together")
    }
  }

  var settings: Authenticator.Settings {
    var settings = Authenticator.Settings(requiresProof: contains(.withProof))
    if contains(.afterChallenge) { settings.beforeChallenge = .never }
    if contains(.beforeChallenge) { settings.beforeChallenge = .always }
    settings.options.usesSession = !contains(.withoutSession)
    settings.options.storesPermanently = !contains(.withoutStoring)
    settings.options.sendsTokensInClear = contains(.tokensInClear)
    return settings
  }
}

extension vault_http_reason_t {
  fileprivate init(_ reason: Outcome.Reason) {
    self =
      switch reason {
      case .done: VAULT_HTTP_DONE
      case .noCredential: VAULT_HTTP_NO_CREDENTIAL
      case .expired: VAULT_HTTP_EXPIRED
      case .ambiguous: VAULT_HTTP_AMBIGUOUS
      case .rejected: VAULT_HTTP_REJECTED
      case .refused: VAULT_HTTP_REFUSED
      case .insufficientScope: VAULT_HTTP_INSUFFICIENT_SCOPE
      case .unproven: VAULT_HTTP_UNPROVEN
      case .unsupported: VAULT_HTTP_UNSUPPORTED
      case .downgraded: VAULT_HTTP_DOWNGRADED
      case .identityRequired: VAULT_HTTP_IDENTITY_REQUIRED
      case .unexpected: VAULT_HTTP_UNEXPECTED
      case .cancelled: VAULT_HTTP_CANCELLED
      case .unanswered: VAULT_HTTP_UNANSWERED
      case .mechanismFailed: VAULT_HTTP_MECHANISM_FAILED
      }
  }
}
