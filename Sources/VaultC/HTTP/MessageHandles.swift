import CVault
import HTTPAuthentication
import VaultModel

/// A request that a C program describes.
final class RequestHandle: Handle, @unchecked Sendable {
  /// A field that was applied to the request, and the authentication that made it.
  struct Applied: Sendable {
    let authentication: ChallengeResponder
    let field: AuthorizationField
  }

  /// The request, and at most one field for each side.
  struct Content: Sendable {
    var head: RequestHead
    private(set) var applied: [Applied] = []

    /// Adds a field, in place of that of the same side.
    mutating func apply(_ field: AuthorizationField, of authentication: ChallengeResponder) {
      applied.removeAll { $0.field.isProxy == field.isProxy }
      applied.append(Applied(authentication: authentication, field: field))
    }
  }

  private let state: Guarded<Content>

  init(_ head: RequestHead) {
    state = Guarded(Content(head: head))
  }

  var content: Content { state.withLock { $0 } }

  func change(_ body: (inout Content) throws(VaultError) -> Void) throws(VaultError) {
    try state.withLock(body)
  }
}

/// A response that a C program describes.
final class ResponseHandle: Handle, @unchecked Sendable {
  private let status: Int
  private let fields = Guarded([ResponseHead.Field]())
  private let place = Guarded(ClientConnection?.none)

  init(status: Int) {
    self.status = status
  }

  var head: ResponseHead { ResponseHead(status: status, fields: fields.withLock { $0 }) }

  /// The connection that it came on; nil if the program has not said.
  var connection: ClientConnection? {
    get { place.withLock { $0 } }
    set { place.withLock { $0 = newValue } }
  }

  func add(_ field: ResponseHead.Field) { fields.withLock { $0.append(field) } }
}

/// An authentication of a C program.
final class AuthenticationHandle: Handle, @unchecked Sendable {
  // Immutable, and `Sendable` itself.
  let authentication: ChallengeResponder

  init(_ authentication: ChallengeResponder) {
    self.authentication = authentication
  }
}

extension vault_http_side_t {
  /// Whether the side is the proxy's.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for a side that does not exist.
  var isProxy: Bool {
    get throws(VaultError) {
      switch self {
      case VAULT_HTTP_SERVER: return false
      case VAULT_HTTP_PROXY: return true
      default: throw VaultError(.invalidArgument, "a side that does not exist")
      }
    }
  }

  init(isProxy: Bool) { self = isProxy ? VAULT_HTTP_PROXY : VAULT_HTTP_SERVER }
}

/// Makes a handle and writes it to the caller's place.
func giveOut(
  at place: UnsafeMutablePointer<OpaquePointer?>?, _ make: () throws(VaultError) -> some Handle
) -> vault_status_t {
  status { () throws(VaultError) in
    // The caller's place, which is written only once there is a handle.
    let place = try unsafe required(place)
    let made = try make()
    unsafe place.pointee = made.givenOut()
  }
}
