import TLSCredentials

/// The Swift of the article: each function's body is one of its snippets.
struct EvaluatingTrust {
  func show(_ text: String) {}
  func confirm(_ text: String) -> Bool { true }

  func evaluate(_ chain: [Certificate]) throws {
    let policy = TrustPolicy()
    let evaluation = try policy.evaluate(chain, host: HostName("www.example.com"))
    guard evaluation.isTrusted else {
      show("refused: \(evaluation.problems.map(\.rawValue).sorted().joined(separator: ", "))")
      return
    }
  }

  func own(_ companyRoot: Certificate) -> TrustPolicy {
    let anchors = TrustAnchors([companyRoot])
    return TrustPolicy(anchors: anchors)
  }

  func pinned(_ current: String, _ backup: String) throws -> TrustPolicy {
    let pins = try PinSet(text: "sha256//\(current);sha256//\(backup)", receivedAt: .now())
    return TrustPolicy(pinning: .publicKey, pins: pins)
  }

  func pinned(_ selfSigned: Certificate) -> TrustPolicy {
    let pins = PinSet([.certificate(selfSigned)])
    return TrustPolicy(pinning: .certificate, pins: pins)
  }

  func revocation(_ list: [UInt8]) throws -> TrustPolicy {
    let lists = [try RevocationList(der: list)]
    return TrustPolicy(revocationLists: lists, requiresRevocationLists: true)
  }

  func accept(_ chain: [Certificate], _ space: ProtectionSpace, _ vault: Vault) throws -> Bool {
    let found = try vault.trust.evaluate(chain, for: space)
    if found.verdict == .recoverable, confirm("\(space): \(found)") {
      try vault.trust.accept(found, for: space, until: .now().adding(.seconds(86400)))
    }
    return found.isTrusted
  }

  func firstUse(_ chain: [Certificate], _ space: ProtectionSpace, _ vault: Vault) throws -> Bool {
    let found = try vault.trust.evaluate(chain, for: space)
    if found.problems.contains(.changedKey) { show("refused: \(found)") }
    if found.knownKey == nil, confirm("\(space) is unknown: \(found)") {
      try vault.trust.recordFirstUse(found, for: space)
    }
    return try vault.trust.evaluate(chain, for: space).isTrusted
  }

  func pin(
    _ current: String, _ backup: String, _ space: ProtectionSpace, _ vault: Vault
  ) throws {
    let pins = try PinSet(text: "sha256//\(current);sha256//\(backup)", receivedAt: .now())
    try vault.trust.pin(pins, for: space)
  }
}
