import CVaultLibcrypto
public import VaultModel

/// libcrypto's validation of a chain (RFC 5280 §6), with all that it objects to.
struct PathValidation {
  private(set) var problems: Set<TrustProblem> = []
  /// The path that was found, the leaf first.
  private(set) var path: [Certificate] = []

  /// Validates a chain.
  ///
  /// - Parameters:
  ///   - sent: The leaf, and in any order what may lead to an anchor.
  ///   - purpose: The purpose that the leaf has to have.
  ///   - anchors: The trusted certificates.
  ///   - lists: Revocation lists; if there is one, each issuer of the path is looked for.
  ///   - time: The time to validate for.
  /// - Throws: ``VaultError/Code/outOfMemory`` and ``VaultError/Code/internalError`` if libcrypto
  ///   fails.
  init(
    _ sent: [Certificate], for purpose: TrustPolicy.Purpose, anchors: AnchorStore,
    lists: [RevocationList], time: Timestamp
  ) throws(VaultError) {
    guard let leaf = sent.first else {
      problems = [.malformed]
      return
    }
    // All are of this function alone. The lists do not own what is in them: `sent` and `lists` do.
    guard let context = unsafe X509_STORE_CTX_new() else { throw Crypto.noMemory }
    defer { unsafe X509_STORE_CTX_free(context) }
    guard let others = unsafe OPENSSL_sk_new_null() else { throw Crypto.noMemory }
    defer { unsafe OPENSSL_sk_free(others) }
    guard let revoked = unsafe OPENSSL_sk_new_null() else { throw Crypto.noMemory }
    defer { unsafe OPENSSL_sk_free(revoked) }
    for certificate in sent.dropFirst() {
      // As above.
      unsafe OPENSSL_sk_push(others, UnsafeRawPointer(certificate.parsed.pointer))
    }
    for list in lists { unsafe OPENSSL_sk_push(revoked, UnsafeRawPointer(list.parsed.pointer)) }

    let findings = Findings()
    guard
      unsafe X509_STORE_CTX_init(context, anchors.pointer, leaf.parsed.pointer, others) == 1,
      let parameters = unsafe X509_STORE_CTX_get0_param(context),
      unsafe X509_VERIFY_PARAM_set_purpose(parameters, Self.number(purpose)) == 1
    else { throw Crypto.failed }
    // As above; the number of seconds is that of the time, rounded down.
    unsafe X509_VERIFY_PARAM_set_time(parameters, Int(time.milliseconds / 1000))
    // 112 bits: RSA from 2048, no SHA-1.
    unsafe X509_VERIFY_PARAM_set_auth_level(parameters, 2)
    // An anchor need not be a root.
    unsafe X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN))
    try unsafe Self.checkPolicies(parameters)
    if !lists.isEmpty {
      unsafe X509_STORE_CTX_set0_crls(context, revoked)
      // Also lists of other issuers, of some reasons, and of what changed since another list.
      unsafe X509_VERIFY_PARAM_set_flags(
        parameters,
        UInt(
          X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL | X509_V_FLAG_EXTENDED_CRL_SUPPORT
            | X509_V_FLAG_USE_DELTAS))
    }
    // `findings` lives until the end of this function, and the callback runs only during `verify`.
    unsafe X509_STORE_CTX_set_ex_data(context, 0, Unmanaged.passUnretained(findings).toOpaque())
    unsafe X509_STORE_CTX_set_verify_cb(context) { isValid, context in
      guard isValid != 1 else { return 1 }
      // The path of a revocation list's issuer has a context of its own, without `findings`: an
      // error ends it, and is then found here as an invalid list.
      guard let context = unsafe context,
        let data = unsafe X509_STORE_CTX_get_ex_data(context, 0)
      else { return 0 }
      // As above. A noted error does not end the validation, so that everything is found.
      let findings = unsafe Unmanaged<Findings>.fromOpaque(data).takeUnretainedValue()
      findings.errors.insert(unsafe X509_STORE_CTX_get_error(context))
      return 1
    }
    let status = unsafe X509_verify_cert(context)
    // Negative, or 0 without a call: it could not go on.
    if status != 1 { findings.errors.insert(unsafe X509_STORE_CTX_get_error(context)) }
    ERR_clear_error()
    withExtendedLifetime(findings) {
      problems = Set(findings.errors.compactMap(Self.problem))
    }
    if status != 1, problems.isEmpty { problems = [.malformed] }
    try unsafe readPath(context, sent, anchors)
    if path.dropFirst().contains(where: { $0.excludesWildcards(of: leaf) }) {
      problems.insert(.forbiddenName)
    }
  }

  /// The errors that occurred.
  private final class Findings {
    var errors: Set<Int32> = []
  }

  /// Takes the path out of a context.
  @unsafe private mutating func readPath(
    _ context: OpaquePointer, _ sent: [Certificate], _ anchors: AnchorStore
  ) throws(VaultError) {
    // The context owns the list and what is in it.
    guard let chain = unsafe X509_STORE_CTX_get0_chain(context) else {
      path = Array(sent.prefix(1))
      return
    }
    for index in 0..<(unsafe OPENSSL_sk_num(chain)) {
      // As above.
      guard let value = unsafe OPENSSL_sk_value(chain, index) else { continue }
      let certificate = OpaquePointer(value)
      // A certificate that was sent is parsed already: libcrypto's object is the same.
      if let known = sent.first(where: { unsafe $0.parsed.pointer == certificate }) {
        path.append(known)
      } else {
        path.append(try unsafe anchors.certificate(certificate))
      }
    }
  }

  /// Makes certificate policies count where an authority requires them.
  ///
  /// Any policy is wanted. Without any named one, libcrypto would take none for wanted, and refuse
  /// every path that has to have one.
  @unsafe private static func checkPolicies(
    _ parameters: OpaquePointer
  ) throws(VaultError) {
    // The parameters own the identifier once it is added; it is a constant of libcrypto's.
    guard unsafe X509_VERIFY_PARAM_add0_policy(parameters, OBJ_nid2obj(NID_any_policy)) == 1,
      unsafe X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_POLICY_CHECK)) == 1
    else { throw Crypto.noMemory }
  }

  private static func number(_ purpose: TrustPolicy.Purpose) -> Int32 {
    switch purpose {
    case .server: X509_PURPOSE_SSL_SERVER
    case .client: X509_PURPOSE_SSL_CLIENT
    case .any: X509_PURPOSE_ANY
    }
  }

  /// Returns the problem of an error number; nil for none.
  private static func problem(_ error: Int32) -> TrustProblem? {
    switch error {
    case X509_V_OK: nil
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
      X509_V_ERR_CERT_UNTRUSTED, X509_V_ERR_CERT_REJECTED:
      .unknownIssuer
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: .selfSigned
    case X509_V_ERR_CERT_HAS_EXPIRED: .expired
    case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid
    case X509_V_ERR_CERT_REVOKED: .revoked
    case X509_V_ERR_CERT_SIGNATURE_FAILURE, X509_V_ERR_UNABLE_TO_DECRYPT_CERT_SIGNATURE:
      .wrongSignature
    case X509_V_ERR_INVALID_PURPOSE: .wrongPurpose
    case X509_V_ERR_INVALID_CA, X509_V_ERR_PATH_LENGTH_EXCEEDED, X509_V_ERR_CERT_CHAIN_TOO_LONG,
      X509_V_ERR_KEYUSAGE_NO_CERTSIGN, X509_V_ERR_INVALID_NON_CA,
      X509_V_ERR_PROXY_PATH_LENGTH_EXCEEDED, X509_V_ERR_PROXY_CERTIFICATES_NOT_ALLOWED:
      .invalidAuthority
    case X509_V_ERR_PERMITTED_VIOLATION, X509_V_ERR_EXCLUDED_VIOLATION,
      X509_V_ERR_SUBTREE_MINMAX, X509_V_ERR_UNSUPPORTED_CONSTRAINT_TYPE,
      X509_V_ERR_UNSUPPORTED_CONSTRAINT_SYNTAX, X509_V_ERR_UNSUPPORTED_NAME_SYNTAX:
      .forbiddenName
    case X509_V_ERR_NO_EXPLICIT_POLICY, X509_V_ERR_INVALID_POLICY_EXTENSION: .invalidPolicy
    case X509_V_ERR_UNHANDLED_CRITICAL_EXTENSION: .unknownExtension
    case X509_V_ERR_EE_KEY_TOO_SMALL, X509_V_ERR_CA_KEY_TOO_SMALL, X509_V_ERR_CA_MD_TOO_WEAK:
      .weakCryptography
    case X509_V_ERR_UNABLE_TO_GET_CRL, X509_V_ERR_UNABLE_TO_GET_CRL_ISSUER,
      X509_V_ERR_DIFFERENT_CRL_SCOPE:
      .missingRevocationList
    case X509_V_ERR_CRL_HAS_EXPIRED, X509_V_ERR_CRL_NOT_YET_VALID,
      X509_V_ERR_CRL_SIGNATURE_FAILURE, X509_V_ERR_UNABLE_TO_DECRYPT_CRL_SIGNATURE,
      X509_V_ERR_ERROR_IN_CRL_LAST_UPDATE_FIELD, X509_V_ERR_ERROR_IN_CRL_NEXT_UPDATE_FIELD,
      X509_V_ERR_KEYUSAGE_NO_CRL_SIGN, X509_V_ERR_UNHANDLED_CRITICAL_CRL_EXTENSION,
      X509_V_ERR_CRL_PATH_VALIDATION_ERROR:
      .invalidRevocationList
    default: .malformed
    }
  }
}

extension HostName {
  /// Whether the name is one that a registry gives to anybody: the domain above it is the
  /// registry's own.
  fileprivate var isBelowRegistry: Bool {
    guard let dot = name.firstIndex(of: ".") else { return false }
    return PublicSuffixes.registries.contains(
      HostName(canonical: String(name[name.index(after: dot)...])))
  }
}

extension Certificate {
  /// Returns whether the certificate is for a host (RFC 6125, RFC 9525): by its alternative names,
  /// of which a wildcard stands for one whole label, and not for all names of a registry.
  ///
  /// - Parameters:
  ///   - host: A name or an IP address.
  ///   - allowsCommonName: Whether the subject's common name counts if there is no host among the
  ///     alternative names.
  /// - Returns: True if one of its names is the host's.
  public func isFor(_ host: HostName, allowsCommonName: Bool = false) -> Bool {
    // libcrypto takes a leading dot for all names below, and no host has one.
    guard !host.isUnset, host.name.first != "." else { return false }
    if host.isIPAddress {
      // A zone is this machine's own name for an interface.
      let address = host.name.prefix { $0 != "%" }
      // The certificate lives during the call, and the text is a C string for it.
      return unsafe X509_check_ip_asc(parsed.pointer, String(address), 0) == 1
    }
    var flags = UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS)
    if !allowsCommonName { flags |= UInt32(X509_CHECK_FLAG_NEVER_CHECK_SUBJECT) }
    // No authority may certify all names of a registry, such as `*.co.uk`.
    if host.isBelowRegistry { flags |= UInt32(X509_CHECK_FLAG_NO_WILDCARDS) }
    // As above; the length is that of the text.
    return unsafe X509_check_host(
      parsed.pointer, host.name, host.name.utf8.count, flags, nil) == 1
  }

  /// Returns whether a wildcard of another certificate stands for a name that this authority
  /// excludes (RFC 5280 §4.2.1.10), which libcrypto compares as a text.
  fileprivate func excludesWildcards(of leaf: Certificate) -> Bool {
    let domains = leaf.names.compactMap { name -> Substring? in
      guard case .host(let host) = name, host.hasPrefix("*.") else { return nil }
      return host.dropFirst(2)
    }
    guard !domains.isEmpty else { return false }
    return excludedHosts.contains { excluded in
      // The wildcard is one label: a name one above what is excluded has none of it.
      guard let dot = excluded.firstIndex(of: ".") else { return false }
      let parent = excluded[excluded.index(after: dot)...]
      return domains.contains { $0.lowercased() == parent.lowercased() }
    }
  }
}
