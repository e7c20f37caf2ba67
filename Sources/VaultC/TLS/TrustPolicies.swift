public import CVault
import TLSCredentials
import VaultModel

// Each pointer is what `vault_tls.h` says of it; it is checked for NULL, and not kept.

/// Makes a policy; the contract is in `vault_tls.h`.
@c @implementation
public func vault_trust_policy_create(
  _ policy: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOut(at: policy) { () throws(VaultError) in TrustPolicyHandle() }
}

/// Frees a policy; the contract is in `vault_tls.h`.
@c @implementation
public func vault_trust_policy_free(_ policy: OpaquePointer?) -> vault_status_t {
  guard unsafe policy != nil else { return VAULT_OK }
  return status { () throws(VaultError) in try TrustPolicyHandle.at(policy).end() }
}

/// Sets the options of a policy; the contract is in `vault_tls.h`.
@c @implementation
public func vault_trust_policy_set_options(
  _ policy: OpaquePointer?, _ options: vault_trust_options_t
) -> vault_status_t {
  change(policy) { (content) throws(VaultError) in
    content.options = try TrustOptions(options, among: .ofPolicy)
  }
}

/// Adds authorities to a policy; the contract is in `vault_tls.h`.
@c @implementation
public func vault_trust_policy_add_anchors(
  _ policy: OpaquePointer?, _ certificates: UnsafeRawPointer?, _ count: Int
) -> vault_status_t {
  change(policy) { (content) throws(VaultError) in
    content.anchors += try unsafe Input.certificates(certificates, count)
  }
}

/// Adds pins of public keys to a policy; the contract is in `vault_tls.h`.
@c @implementation
public func vault_trust_policy_add_pins(
  _ policy: OpaquePointer?, _ pins: UnsafePointer<CChar>?, _ count: Int
) -> vault_status_t {
  change(policy) { (content) throws(VaultError) in
    let text = try unsafe Input.text(required(pins), count)
    content.pins += try PinSet(text: text, receivedAt: .now()).pins
  }
}

/// Adds pinned certificates to a policy; the contract is in `vault_tls.h`.
@c @implementation
public func vault_trust_policy_add_pinned_certificates(
  _ policy: OpaquePointer?, _ certificates: UnsafeRawPointer?, _ count: Int
) -> vault_status_t {
  change(policy) { (content) throws(VaultError) in
    content.pins += try unsafe Input.certificates(certificates, count).map { .certificate($0) }
  }
}

/// Adds a revocation list to a policy; the contract is in `vault_tls.h`.
@c @implementation
public func vault_trust_policy_add_revocation_list(
  _ policy: OpaquePointer?, _ list: UnsafeRawPointer?, _ count: Int
) -> vault_status_t {
  change(policy) { (content) throws(VaultError) in
    content.lists.append(try RevocationList(der: try unsafe Input.data(required(list), count)))
  }
}

/// Changes a policy, whose handle is looked up.
@safe private func change(
  _ policy: OpaquePointer?,
  _ body: (inout TrustPolicyHandle.Content) throws(VaultError) -> Void
) -> vault_status_t {
  status { () throws(VaultError) in try TrustPolicyHandle.at(policy).change(body) }
}

extension Input {
  /// Copies certificates, one after the other.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if one is malformed; ``VaultError/Code/tooLarge``;
  ///   ``VaultError/Code/invalidArgument`` for NULL.
  static func certificates(
    _ bytes: UnsafeRawPointer?, _ count: Int
  ) throws(VaultError) -> [Certificate] {
    let certificates = try Certificate.list(try unsafe data(required(bytes), count))
    guard !certificates.isEmpty else {
      throw VaultError(.invalidData, "certificate: there is none")
    }
    return certificates
  }
}
