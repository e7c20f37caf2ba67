import CVault
import CredentialVault
import HTTPAuthentication
import SecureMemory
import VaultModel

/// An authenticator of a C program, and its vault, which may be closed.
final class AuthenticatorHandle: Handle, @unchecked Sendable {
  // Immutable, and `Sendable` itself.
  let authenticator: Authenticator
  /// The numbers of its logins.
  let logins = LoginNumbers()

  init(_ authenticator: Authenticator) {
    self.authenticator = authenticator
  }
}

/// The numbers, from 1, that stand for owners of connections: equal ones have one.
final class LoginNumbers: Sendable {
  private let numbers = Lock<[ConnectionOwner: UInt64]>([:])

  /// Returns the number of a login; 0 for none.
  func number(of login: ConnectionOwner?) -> UInt64 {
    guard let login else { return 0 }
    return numbers.withLock { numbers in
      let number = numbers[login] ?? UInt64(numbers.count) + 1
      numbers[login] = number
      return number
    }
  }
}

/// An exchange of a C program.
final class ExchangeHandle: Handle, @unchecked Sendable {
  private struct State {
    /// Nil while a call changes it.
    var exchange: Exchange?
    var outcome: Outcome?
  }

  private let state: Guarded<State>
  /// The numbers of its authenticator's logins.
  let logins: LoginNumbers

  init(_ exchange: Exchange, _ logins: LoginNumbers) {
    self.logins = logins
    state = Guarded(State(exchange: exchange))
  }

  /// The outcome of the exchange; nil if it goes on.
  var outcome: Outcome? { state.withLock { $0.outcome } }

  /// The exchange as it is now.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` while another call changes it.
  var exchange: Exchange {
    get throws(VaultError) {
      guard let exchange = state.withLock({ $0.exchange }) else { throw Self.isBusy }
      return exchange
    }
  }

  /// Takes a response; no lock is held meanwhile, because the prompt may call anything.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` while another call changes it; the errors of
  ///   `body`.
  func next(
    _ body: (inout Exchange) throws(VaultError) -> Step
  ) throws(VaultError) -> vault_http_step_t {
    let taken = state.withLock { state in
      defer { state.exchange = nil }
      return state.exchange
    }
    guard var exchange = taken else { throw Self.isBusy }
    var outcome: Outcome?
    defer { state.withLock { $0 = State(exchange: exchange, outcome: outcome) } }
    switch try body(&exchange) {
    case .send: return VAULT_HTTP_SEND
    case .finish(let end):
      outcome = end
      return VAULT_HTTP_FINISH
    }
  }

  private static var isBusy: VaultError {
    VaultError(.invalidArgument, "another call for the exchange has not ended")
  }
}
