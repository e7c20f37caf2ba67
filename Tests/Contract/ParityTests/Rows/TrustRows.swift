import CVault
import CredentialVault
import SecureMemory
import TLSCredentials
import VaultModel

/// The evaluation of a server's certificates.
enum TrustRows {
  static let rows: [Row] = [
    verdict(
      "trust.valid", "A valid chain is *unspecified*.", "www.example.com",
      "unspecified"),
    verdict(
      "trust.host", "Another host is a recoverable failure.", "www.example.org",
      "recoverable"),
    verdict(
      "trust.anchor", "An unknown authority is a recoverable failure.",
      "www.example.com", anchored: false, "recoverable"),
    verdict(
      "trust.policy", "A path needs a certificate policy that an authority demands.",
      TLSWorld.host, leaf: .plain, "recoverable"),
    verdict(
      "trust.wildcard.excluded",
      "A wildcard for a name that an authority excludes is refused.",
      TLSWorld.host, leaf: .covering, "recoverable"),
    verdict(
      "trust.wildcard.registry", "No wildcard stands for a registry's names.",
      "shop.co.uk", leaf: .registry, "recoverable"),
    Row(
      "key.same", .identities,
      "Keys are equal wherever they come from.",
      by: .keychain { _ in try sameKey() },
      vault: .inexpressible("Pins and fingerprints name keys."),
      compatible: .same("equal, equal, other")),
    Row(
      "key.signature", .identities, "A private key signs, and its public key verifies.",
      by: .keychain { _ in try signature() },
      vault: .inexpressible("A vault does no cryptography for others; its identities are for TLS."),
      compatible: .same("verified, -67808, -50")),
    Row(
      "key.encryption", .identities,
      "A public key encrypts what only its private key decrypts, in another text each time.",
      by: .keychain { _ in try encryption() },
      vault: .inexpressible("A vault does no cryptography for others; its identities are for TLS."),
      compatible: .same("decrypted, two texts, refused")),
    Row(
      "trust.decided", .identities, "A chain that somebody trusts is *proceed*.",
      by: .swift(decided), .native(decided),
      .keychain { try evaluate($0, "www.example.com", anchored: false) },
      vault: .same("proceed"),
      compatible: .differs("Decisions do not count.", "recoverable"),
      why: "A decision is for a port; no policy names one."),
    Row(
      "trust.reason", .identities, "An error has the gravest reason's number.",
      by: .swift { try reasons($0) }, .native { try reasons($0) }, .keychain { _ in try reason() },
      vault: .differs("All reasons.", "unknown-issuer wrong-host"),
      compatible: .same("-67843"), why: "Who decides has to see all."),
    Row(
      "trust.invalid", .identities,
      "A result is *invalid* before an evaluation and after a change.",
      by: .keychain { _ in try unevaluated() },
      vault: .inexpressible("An evaluation is a value."), compatible: .same("0, 4, 0")),
    Row(
      "trust.certificate", .identities,
      "A chain lends each certificate as one object.",
      by: .keychain { _ in try lent() }, vault: .inexpressible("A path is an array of values."),
      compatible: .same("leaf, same, nothing")),
    Row(
      "trust.revocation", .identities,
      "A revocation policy fetches; without an answer it accepts unless one is required.",
      by: .keychain { _ in seen(try revocation(3), try revocation(1 | 8)) },
      vault: .inexpressible("`revocationRequired` with the lists that are handed in."),
      compatible: .differs(
        "A required answer is always missing.", "0, -67635"),
      why: "Nothing is fetched."),
    Row(
      "trust.error", .identities, "An error has a domain, and a description in its user info.",
      by: .keychain { _ in try information() }, vault: .inexpressible("An error is a value."),
      compatible: .same("NSOSStatusErrorDomain, same")),
    .foreign(
      "trust.fetching", .identities,
      "Issuers and revocation are fetched.",
      because: "Lists are handed in."),
  ]

  /// The certificate that is sent, with that of the strict authority.
  enum Leaf: Sendable {
    case own, plain, covering, registry

    func der(_ world: TLSWorld) -> [UInt8] {
      switch self {
      case .own: world.leaf
      case .plain: world.plain
      case .covering: world.covering
      case .registry: world.registry
      }
    }
  }

  private static func verdict(
    _ id: String, _ apple: String, _ host: String, anchored: Bool = true,
    leaf: Leaf = .own, _ verdict: String
  ) -> Row {
    Row(
      id, .identities, apple,
      by: .swift { try evaluate($0, host, anchored: anchored, leaf) },
      .native { try evaluate($0, host, anchored: anchored, leaf) },
      .keychain { try evaluate($0, host, anchored: anchored, leaf) }, vault: .same(verdict),
      compatible: .same(verdict))
  }

  private static func space(_ host: String) throws -> ProtectionSpace {
    try ProtectionSpace(host: host, authenticationMethod: .serverTrust)
  }

  // MARK: Swift

  static func evaluation(
    _ driver: SwiftDriver, _ host: String, anchored: Bool, _ leaf: Leaf = .own
  ) throws -> TrustEvaluation {
    let world = try TLSWorld.made.get()
    let anchors = anchored ? [try Certificate(der: world.root)] : []
    return try driver.vault.trust.evaluate(
      [Certificate(der: leaf.der(world)), Certificate(der: world.strict)], for: space(host),
      TrustPolicy(anchors: TrustAnchors(anchors)))
  }

  static func evaluate(
    _ driver: SwiftDriver, _ host: String, anchored: Bool, _ leaf: Leaf = .own
  ) throws -> String {
    try evaluation(driver, host, anchored: anchored, leaf).verdict.rawValue
  }

  static func decided(_ driver: SwiftDriver) throws -> String {
    let found = try evaluation(driver, TLSWorld.host, anchored: false)
    try driver.vault.trust.accept(
      found, for: space(TLSWorld.host), persistence: driver.store.persistence)
    return try evaluate(driver, TLSWorld.host, anchored: false)
  }

  static func reasons(_ driver: SwiftDriver) throws -> String {
    let found = try evaluation(driver, "www.example.org", anchored: false)
    let names: [TrustProblem: String] = [
      .unknownIssuer: "unknown-issuer", .wrongHost: "wrong-host",
    ]
    return found.problems.map { names[$0] ?? $0.rawValue }.sorted().joined(separator: " ")
  }

  // MARK: Native C

  /// Calls `body` with an evaluation and the attributes of its server.
  @safe private static func withEvaluation(
    _ driver: NativeDriver, _ host: String, anchored: Bool, _ leaf: Leaf = .own,
    _ body: (OpaquePointer?, OpaquePointer?) throws -> String
  ) throws -> String {
    let world = try TLSWorld.made.get()
    let sent = leaf.der(world) + world.strict
    var (space, policy): (OpaquePointer?, OpaquePointer?) = (nil, nil)
    var evaluation: OpaquePointer?
    // Each handle is freed here; texts and certificates are as long as is said.
    try check(unsafe vault_attributes_create(&space))
    defer { _ = unsafe vault_attributes_free(space) }
    let url = "https://\(host)"
    try check(unsafe vault_attributes_set_url(space, url, url.utf8.count))
    try check(unsafe vault_trust_policy_create(&policy))
    defer { _ = unsafe vault_trust_policy_free(policy) }
    if anchored {
      try check(unsafe vault_trust_policy_add_anchors(policy, world.root, world.root.count))
    }
    try check(
      unsafe vault_trust_evaluate(
        driver.vault, space, policy, sent, sent.count, 0, &evaluation))
    defer { _ = unsafe vault_trust_evaluation_free(evaluation) }
    return try unsafe body(evaluation, space)
  }

  static func evaluate(
    _ driver: NativeDriver, _ host: String, anchored: Bool, _ leaf: Leaf = .own
  ) throws -> String {
    try withEvaluation(driver, host, anchored: anchored, leaf) { evaluation, _ in
      var verdict = VAULT_TRUST_FATAL
      try check(unsafe vault_trust_evaluation_get_verdict(evaluation, &verdict))
      return word(verdict.rawValue)
    }
  }

  static func decided(_ driver: NativeDriver) throws -> String {
    _ = try withEvaluation(driver, TLSWorld.host, anchored: false) { evaluation, space in
      try check(
        unsafe vault_trust_accept(
          driver.vault, space, evaluation, 0, driver.persistence, nil))
      return ""
    }
    return try evaluate(driver, TLSWorld.host, anchored: false)
  }

  static func reasons(_ driver: NativeDriver) throws -> String {
    try withEvaluation(driver, "www.example.org", anchored: false) { evaluation, _ in
      var problems: vault_trust_problems_t = 0
      try check(unsafe vault_trust_evaluation_get_problems(evaluation, &problems))
      let names = [
        ("unknown-issuer", VAULT_TRUST_UNKNOWN_ISSUER), ("wrong-host", VAULT_TRUST_WRONG_HOST),
      ]
      return names.filter { problems & UInt32($0.1) != 0 }.map(\.0).joined(separator: " ")
    }
  }

  // MARK: Compatible C

  /// Calls `body` with a trust for a host.
  @safe private static func withTrust(
    _ host: String, anchored: Bool, _ leaf: Leaf = .own,
    _ body: (OpaquePointer?) throws -> String
  ) throws -> String {
    let world = try TLSWorld.made.get()
    let (leaf, root) = unsafe (CF.data(leaf.der(world)), CF.data(world.root))
    let strict = unsafe CF.data(world.strict)
    // All are released here; the trust has its own references.
    let certificate = unsafe VaultCertificateCreateWithData(nil, leaf)
    let authority = unsafe VaultCertificateCreateWithData(nil, strict)
    let anchor = unsafe VaultCertificateCreateWithData(nil, root)
    let sent = unsafe VaultCFArrayCreateMutable(nil, 0, nil)
    unsafe VaultCFArrayAppendValue(sent, UnsafeRawPointer(certificate))
    unsafe VaultCFArrayAppendValue(sent, UnsafeRawPointer(authority))
    let policy = unsafe VaultPolicyCreateSSL(1, CF.string(host))
    let anchors = unsafe VaultCFArrayCreateMutable(nil, 0, nil)
    if anchored { unsafe VaultCFArrayAppendValue(anchors, UnsafeRawPointer(anchor)) }
    var trust: OpaquePointer?
    defer {
      let objects = unsafe [
        leaf, root, strict, sent, certificate, authority, anchor, policy, anchors, trust,
      ]
      for index in 0..<(unsafe objects.count) {
        unsafe VaultCFRelease(UnsafeRawPointer(objects[index]))
      }
    }
    try check(
      unsafe VaultTrustCreateWithCertificates(
        UnsafeRawPointer(sent), UnsafeRawPointer(policy), &trust))
    try check(unsafe VaultTrustSetAnchorCertificates(trust, anchors))
    return try unsafe body(trust)
  }

  static func evaluate(
    _ driver: KeychainDriver, _ host: String, anchored: Bool, _ leaf: Leaf = .own
  ) throws -> String {
    try withTrust(host, anchored: anchored, leaf) { trust in
      var result: VaultTrustResultType = 0
      try check(unsafe VaultTrustEvaluate(trust, &result))
      return word(result)
    }
  }

  static func reason() throws -> String {
    try withTrust("www.example.org", anchored: false) { trust in
      var error: OpaquePointer?
      let isTrusted = unsafe VaultTrustEvaluateWithError(trust, &error)
      defer { unsafe VaultCFRelease(UnsafeRawPointer(error)) }
      return isTrusted ? "trusted" : "\(unsafe VaultCFErrorGetCode(error))"
    }
  }

  static func lent() throws -> String {
    try withTrust("www.example.com", anchored: true) { trust in
      guard unsafe VaultTrustEvaluateWithError(trust, nil) else { return "not trusted" }
      let first = unsafe VaultTrustGetCertificateAtIndex(trust, 0)
      let summary = unsafe CFObject(
        UnsafeRawPointer(VaultCertificateCopySubjectSummary(first)))
      let isSame = unsafe VaultTrustGetCertificateAtIndex(trust, 0) == first
      let isNone = unsafe VaultTrustGetCertificateAtIndex(trust, 9) == nil
      return seen(summary.text, isSame ? "same" : "another", isNone ? "nothing" : "something")
    }
  }

  static func revocation(_ flags: VaultCFOptionFlags) throws -> String {
    try withTrust("www.example.com", anchored: true) { trust in
      let policy = unsafe CFObject(UnsafeRawPointer(VaultPolicyCreateRevocation(flags)))
      try policy.use { try check(unsafe VaultTrustSetPolicies(trust, $0)) }
      var error: VaultCFErrorRef?
      // The place is this function's own.
      _ = unsafe VaultTrustEvaluateWithError(trust, &error)
      defer { unsafe VaultCFRelease(UnsafeRawPointer(error)) }
      return unsafe "\(VaultCFErrorGetCode(error))"
    }
  }

  static func information() throws -> String {
    try withTrust("www.example.org", anchored: true) { trust in
      var error: VaultCFErrorRef?
      // The place is this function's own.
      _ = unsafe VaultTrustEvaluateWithError(trust, &error)
      defer { unsafe VaultCFRelease(UnsafeRawPointer(error)) }
      let info = unsafe CFObject(UnsafeRawPointer(VaultCFErrorCopyUserInfo(error)))
      let text = unsafe CFObject(UnsafeRawPointer(VaultCFErrorCopyDescription(error)))
      let isSame = info["NSLocalizedDescription"].text == text.text && !text.text.isEmpty
      return unsafe seen(
        CF.text(UnsafeRawPointer(VaultCFErrorGetDomain(error))), isSame ? "same" : "another")
    }
  }

  // MARK: Keys

  static func sameKey() throws -> String {
    let world = try TLSWorld.made.get()
    return try withTrust(TLSWorld.host, anchored: true) { trust in
      let (data, root) = unsafe (CF.data(world.leaf), CF.data(world.root))
      // All are released here.
      let certificate = unsafe VaultCertificateCreateWithData(nil, data)
      let other = unsafe VaultCertificateCreateWithData(nil, root)
      let (key, ofTrust) = unsafe (VaultCertificateCopyKey(certificate), VaultTrustCopyKey(trust))
      let ofOther = unsafe VaultCertificateCopyKey(other)
      let bits = unsafe VaultKeyCopyExternalRepresentation(key, nil)
      let attributes = unsafe VaultKeyCopyAttributes(key)
      let read = unsafe VaultKeyCreateWithData(bits, attributes, nil)
      defer {
        let objects = unsafe [
          data, root, certificate, other, key, ofTrust, ofOther, bits, attributes, read,
        ]
        for index in 0..<(unsafe objects.count) {
          unsafe VaultCFRelease(UnsafeRawPointer(objects[index]))
        }
      }
      func word(_ one: OpaquePointer?) -> String {
        unsafe VaultCFEqual(UnsafeRawPointer(key), UnsafeRawPointer(one)) != 0 ? "equal" : "other"
      }
      return unsafe seen(word(ofTrust), word(read), word(ofOther))
    }
  }

  static func signature() throws -> String {
    let world = try TLSWorld.made.get()
    return try CF.importing(world.file, TLSWorld.passphrase) { items in
      let entry = unsafe OpaquePointer(VaultCFArrayGetValueAtIndex(items, 0))
      let name = unsafe UnsafeRawPointer(CF.string("identity"))
      let identity = unsafe OpaquePointer(VaultCFDictionaryGetValue(entry, name))
      let algorithm = unsafe CF.string("algid:sign:ECDSA:message-X962:SHA256")
      let message = unsafe CF.data(Array("a message".utf8))
      // All but the algorithm, a constant, and the items, are released here.
      var key: OpaquePointer?
      try check(unsafe VaultIdentityCopyPrivateKey(identity, &key))
      let publicKey = unsafe VaultKeyCopyPublicKey(key)
      let signature = unsafe VaultKeyCreateSignature(key, algorithm, message, nil)
      var (wrong, misused): (OpaquePointer?, OpaquePointer?) = (nil, nil)
      let isVerified = unsafe VaultKeyVerifySignature(
        publicKey, algorithm, message, signature, nil)
      _ = unsafe VaultKeyVerifySignature(publicKey, algorithm, signature, signature, &wrong)
      _ = unsafe VaultKeyCreateSignature(publicKey, algorithm, message, &misused)
      let codes = unsafe (VaultCFErrorGetCode(wrong), VaultCFErrorGetCode(misused))
      let objects = unsafe [message, key, publicKey, signature, wrong, misused]
      for index in 0..<(unsafe objects.count) {
        unsafe VaultCFRelease(UnsafeRawPointer(objects[index]))
      }
      return seen(isVerified != 0 ? "verified" : "refused", "\(codes.0)", "\(codes.1)")
    }
  }

  static func encryption() throws -> String {
    let world = try TLSWorld.made.get()
    return try CF.importing(world.file, TLSWorld.passphrase) { items in
      let entry = unsafe OpaquePointer(VaultCFArrayGetValueAtIndex(items, 0))
      let name = unsafe UnsafeRawPointer(CF.string("identity"))
      let identity = unsafe OpaquePointer(VaultCFDictionaryGetValue(entry, name))
      let algorithm = unsafe CF.string(
        "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM-KDFIV")
      let message = unsafe CF.data(Array("a message".utf8))
      // All but the algorithm, a constant, and the items, are released here.
      var key: OpaquePointer?
      try check(unsafe VaultIdentityCopyPrivateKey(identity, &key))
      let publicKey = unsafe VaultKeyCopyPublicKey(key)
      let sealed = unsafe VaultKeyCreateEncryptedData(publicKey, algorithm, message, nil)
      let again = unsafe VaultKeyCreateEncryptedData(publicKey, algorithm, message, nil)
      let opened = unsafe VaultKeyCreateDecryptedData(key, algorithm, sealed, nil)
      let misused = unsafe VaultKeyCreateDecryptedData(publicKey, algorithm, sealed, nil)
      let isSame = unsafe VaultCFEqual(UnsafeRawPointer(opened), UnsafeRawPointer(message)) != 0
      let isRepeated = unsafe VaultCFEqual(UnsafeRawPointer(sealed), UnsafeRawPointer(again)) != 0
      let isRefused = unsafe misused == nil
      let objects = unsafe [message, key, publicKey, sealed, again, opened, misused]
      for index in 0..<(unsafe objects.count) {
        unsafe VaultCFRelease(UnsafeRawPointer(objects[index]))
      }
      return seen(
        isSame ? "decrypted" : "other", isRepeated ? "one text" : "two texts",
        isRefused ? "refused" : "decrypted")
    }
  }

  static func unevaluated() throws -> String {
    try withTrust(TLSWorld.host, anchored: true) { trust in
      var results: [VaultTrustResultType] = [9, 9, 9]
      // Each place is one of the array's.
      try check(unsafe VaultTrustGetTrustResult(trust, &results[0]))
      _ = unsafe VaultTrustEvaluateWithError(trust, nil)
      try check(unsafe VaultTrustGetTrustResult(trust, &results[1]))
      try check(unsafe VaultTrustSetAnchorCertificatesOnly(trust, 1))
      try check(unsafe VaultTrustGetTrustResult(trust, &results[2]))
      return results.map { "\($0)" }.joined(separator: ", ")
    }
  }

  /// Returns the word for a verdict, which both interfaces of C number as Apple does.
  private static func word(_ number: UInt32) -> String {
    let words: [UInt32: String] = [
      1: "proceed", 3: "deny", 4: "unspecified", 5: "recoverable", 6: "fatal",
    ]
    return words[number] ?? "\(number)"
  }
}
