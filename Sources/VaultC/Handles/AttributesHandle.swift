public import CVault
import VaultModel

/// Attributes that a C program sets one after the other.
final class AttributesHandle: Handle, @unchecked Sendable {
  private let named = Guarded(Attributes())

  var attributes: Attributes { named.withLock { $0 } }

  /// Returns the query, without a copy of the other attributes.
  ///
  /// - Throws: As ``Attributes/query()`` and ``Attributes/queryOfSpace()``.
  func query(ofSpace: Bool) throws(VaultError) -> ItemQuery {
    try named.withLock { (named) throws(VaultError) in
      ofSpace ? try named.queryOfSpace() : try named.query()
    }
  }

  func name(_ body: (inout Attributes) throws(VaultError) -> Void) throws(VaultError) {
    try named.withLock(body)
  }
}

/// Makes an empty set of attributes; the contract is in `vault.h`.
@c @implementation
public func vault_attributes_create(
  _ attributes: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  status { () throws(VaultError) in
    // The caller's place for a handle.
    let place = try unsafe required(attributes)
    unsafe place.pointee = AttributesHandle().givenOut()
  }
}

/// Frees attributes; the contract is in `vault.h`.
@c @implementation
public func vault_attributes_free(_ attributes: OpaquePointer?) -> vault_status_t {
  guard unsafe attributes != nil else { return VAULT_OK }
  return status { () throws(VaultError) in try AttributesHandle.at(attributes).end() }
}
