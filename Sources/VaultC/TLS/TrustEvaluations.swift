public import CVault
import TLSCredentials
import VaultModel

// Each pointer is what `vault_tls.h` says of it; it is checked for NULL, and not kept. Places are
// written last.

/// Evaluates a chain; the contract is in `vault_tls.h`.
@c @implementation
public func vault_trust_evaluate(
  _ vault: OpaquePointer?, _ space: OpaquePointer?, _ policy: OpaquePointer?,
  _ chain: UnsafeRawPointer?, _ count: Int, _ time: UInt64,
  _ evaluation: UnsafeMutablePointer<OpaquePointer?>?
) -> vault_status_t {
  unsafe giveOut(at: evaluation) { () throws(VaultError) in
    // Both are only compared here.
    let trust = unsafe vault == nil ? nil : try VaultHandle.at(vault).vault.trust
    let policy =
      unsafe policy == nil ? TrustPolicy() : try TrustPolicyHandle.at(policy).policy
    let space = try AttributesHandle.at(space).attributes.space()
    let chain = try unsafe Input.certificates(chain, count)
    let time = try Input.time(time)
    guard let trust else {
      return TrustEvaluationHandle(
        try policy.evaluate(chain, host: space.host, at: time ?? .now()))
    }
    return TrustEvaluationHandle(try trust.evaluate(chain, for: space, policy, at: time))
  }
}

/// Frees an evaluation; the contract is in `vault_tls.h`.
@c @implementation
public func vault_trust_evaluation_free(_ evaluation: OpaquePointer?) -> vault_status_t {
  guard unsafe evaluation != nil else { return VAULT_OK }
  return status { () throws(VaultError) in try TrustEvaluationHandle.at(evaluation).end() }
}

/// Returns the verdict; the contract is in `vault_tls.h`.
@c @implementation
public func vault_trust_evaluation_get_verdict(
  _ evaluation: OpaquePointer?, _ verdict: UnsafeMutablePointer<vault_trust_verdict_t>?
) -> vault_status_t {
  unsafe write(evaluation, to: verdict) { vault_trust_verdict_t($0.verdict) }
}

/// Returns the reasons; the contract is in `vault_tls.h`.
@c @implementation
public func vault_trust_evaluation_get_problems(
  _ evaluation: OpaquePointer?, _ problems: UnsafeMutablePointer<vault_trust_problems_t>?
) -> vault_status_t {
  unsafe write(evaluation, to: problems) { $0.problems.reduce(0) { $0 | $1.bit } }
}

/// Returns whether a pin is missing; the contract is in `vault_tls.h`.
@c @implementation
public func vault_trust_evaluation_is_reported(
  _ evaluation: OpaquePointer?, _ is_reported: UnsafeMutablePointer<Bool>?
) -> vault_status_t {
  unsafe write(evaluation, to: is_reported) { $0.isReported }
}

/// Copies the verdict and the reasons as text; the contract is in `vault_tls.h`.
@c @implementation
public func vault_trust_evaluation_copy_text(
  _ evaluation: OpaquePointer?, _ text: UnsafeMutablePointer<vault_buffer_t>?
) -> vault_status_t {
  unsafe write(evaluation, to: text) { (evaluation) throws(VaultError) in
    // The buffer is the caller's from here on.
    try unsafe vault_buffer_t(copying: evaluation.description)
  }
}

/// Copies the validated path; the contract is in `vault_tls.h`.
@c @implementation
public func vault_trust_evaluation_copy_path(
  _ evaluation: OpaquePointer?, _ path: UnsafeMutablePointer<vault_buffer_t>?
) -> vault_status_t {
  unsafe write(evaluation, to: path) { (evaluation) throws(VaultError) in
    // The buffer is the caller's from here on.
    try unsafe vault_buffer_t(copying: evaluation.path.flatMap(\.der))
  }
}

/// Copies the hash of a key; the contract is in `vault_tls.h`.
@c @implementation
public func vault_trust_evaluation_copy_pin(
  _ evaluation: OpaquePointer?, _ is_known: Bool, _ pin: UnsafeMutablePointer<vault_buffer_t>?
) -> vault_status_t {
  unsafe write(evaluation, to: pin) { (evaluation) throws(VaultError) in
    let key = is_known ? evaluation.knownKey : evaluation.path.first?.publicKeyHash
    guard let key else { throw VaultError(.itemNotFound, "trust: no key of the server is known") }
    // The buffer is the caller's from here on.
    return try unsafe vault_buffer_t(copying: PinSet([.publicKey(key)]).curlText)
  }
}

/// Writes a part of an evaluation to the caller's place.
private func write<T>(
  _ evaluation: OpaquePointer?, to place: UnsafeMutablePointer<T>?,
  _ part: (TrustEvaluation) throws(VaultError) -> T
) -> vault_status_t {
  status { () throws(VaultError) in
    let evaluation = try TrustEvaluationHandle.at(evaluation).evaluation
    // The caller's place, which is written only once there is a value.
    let place = try unsafe required(place)
    unsafe place.pointee = try part(evaluation)
  }
}

extension Input {
  /// Reads a time in milliseconds; nil for 0.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for one that is too far away.
  static func time(_ milliseconds: UInt64) throws(VaultError) -> Timestamp? {
    guard milliseconds > 0 else { return nil }
    guard let exact = Int64(exactly: milliseconds) else {
      throw VaultError(.invalidArgument, "a time is too far away")
    }
    return Timestamp(milliseconds: exact)
  }
}
