public import VaultModel

/// The conditions that a server's certificate chain has to satisfy.
///
/// A policy is a value, and evaluating it is pure: it connects to nothing and fetches nothing, and
/// the same chain at the same time has the same result. Its pinning modes and switches are those
/// of AFNetworking's `AFSecurityPolicy`.
///
/// Pins are compared with the *validated path*: a certificate that somebody appended to what was
/// sent satisfies none.
public struct TrustPolicy: Sendable {
  /// The part of a certificate that the pins of a policy are compared with.
  public enum Pinning: String, Sendable, CaseIterable {
    /// Nothing: the anchors decide.
    case none
    /// The public keys of the path.
    case publicKey
    /// The certificates of the path, byte for byte. The pinned certificates are the only anchors.
    case certificate
  }

  /// The party that the leaf has to be for.
  public enum Purpose: String, Sendable, CaseIterable {
    /// A server of TLS.
    case server
    /// A client of TLS, as a server evaluates it.
    case client
    /// Anybody.
    case any
  }

  /// The part of a certificate that the pins are compared with.
  public var pinning: Pinning
  /// The pins.
  ///
  /// A policy with pinning and without a pin trusts nobody.
  public var pins: PinSet
  /// The authorities that a chain has to lead to, unless ``Pinning/certificate`` is in force.
  public var anchors: TrustAnchors
  /// Whether a chain that leads to no anchor, is not valid yet, or no longer, is accepted.
  ///
  /// It allows nothing else: signatures, purposes, the limits of authorities and the host are
  /// checked all the same. With ``Pinning/certificate`` it allows nothing at all.
  public var allowsInvalidCertificates: Bool
  /// Whether the leaf has to be for the host.
  public var validatesDomainName: Bool
  /// Whether the common name counts if the leaf has no host among its alternative names.
  public var allowsCommonName: Bool
  /// The party that the leaf has to be for.
  public var purpose: Purpose
  /// Revocation lists, by which the certificates of the path are checked.
  public var revocationLists: [RevocationList]
  /// Whether each issuer of the path must have a revocation list.
  public var requiresRevocationLists: Bool

  /// Creates a policy; the default one is that of a browser.
  public init(
    pinning: Pinning = .none, pins: PinSet = PinSet([]), anchors: TrustAnchors = .system,
    allowsInvalidCertificates: Bool = false, validatesDomainName: Bool = true,
    allowsCommonName: Bool = false, purpose: Purpose = .server,
    revocationLists: [RevocationList] = [], requiresRevocationLists: Bool = false
  ) {
    self.pinning = pinning
    self.pins = pins
    self.anchors = anchors
    self.allowsInvalidCertificates = allowsInvalidCertificates
    self.validatesDomainName = validatesDomainName
    self.allowsCommonName = allowsCommonName
    self.purpose = purpose
    self.revocationLists = revocationLists
    self.requiresRevocationLists = requiresRevocationLists
  }

  /// Evaluates a chain.
  ///
  /// The last second of a certificate's validity counts as too late, as in all that uses OpenSSL.
  /// If several certificates may be the issuer of another, the first that was sent is taken, unless
  /// an anchor is among them.
  ///
  /// - Parameters:
  ///   - chain: The certificates that the server sent: its own, and any others in any order.
  ///   - host: The host that was connected to; nil if there is no name to compare. Then
  ///     ``validatesDomainName`` has no effect.
  ///   - time: The time to evaluate for.
  /// - Returns: The verdict with all reasons, and the validated path.
  /// - Throws: ``VaultError/Code/outOfMemory`` and ``VaultError/Code/internalError`` if libcrypto
  ///   fails. A chain that is not trusted is not an error.
  public func evaluate(
    _ chain: [Certificate], host: HostName?, at time: Timestamp = .now()
  ) throws(VaultError) -> TrustEvaluation {
    let host = host.flatMap { $0.isUnset ? nil : $0 }
    // Expired pins, and those for other hosts, are none; a set without a pin stays in force.
    let mode = pins.apply(to: host, at: time) || pins.pins.isEmpty ? pinning : .none
    let enforced = pins.isReportOnly ? .none : mode
    var path = try validate(chain, mode: enforced, time)
    if let host, validatesDomainName, !path.problems.contains(.malformed),
      let leaf = chain.first, !leaf.isFor(host, allowsCommonName: allowsCommonName)
    {
      path.problems.insert(.wrongHost)
    }
    let isPinned = mode == .none || pins.isSatisfied(by: path.path, mode)
    if !isPinned, !pins.isReportOnly {
      path.problems.insert(pins.pins.isEmpty ? .noPins : .pinMismatch)
    }
    // Anybody can make a certificate for a host: then its name proves nothing.
    if host != nil, allowsInvalidCertificates, validatesDomainName, enforced == .none {
      path.problems.insert(.noPins)
    }
    return TrustEvaluation(
      verdict: verdict(path.problems, enforced), problems: path.problems, path: path.path,
      isReported: !isPinned && pins.isReportOnly)
  }

  private func validate(
    _ chain: [Certificate], mode: Pinning, _ time: Timestamp
  ) throws(VaultError) -> (problems: Set<TrustProblem>, path: [Certificate]) {
    var (store, lists) = (anchors.store, revocationLists)
    if mode == .certificate {
      store = TrustAnchors(pins.certificates).store
      // A pinned certificate ends the path, and who issued it may be unknown: nobody could tell
      // whether such an issuer's list is authentic.
      let known = (chain + pins.certificates).map(\.subject)
      lists.removeAll { list in !known.contains { $0.matches(list.issuer) } }
    }
    let validation = try PathValidation(
      chain, for: purpose, anchors: store, lists: lists, time: time)
    var problems = validation.problems
    if requiresRevocationLists {
      if lists.isEmpty { problems.insert(.missingRevocationList) }
    } else {
      problems.remove(.missingRevocationList)
    }
    return (problems, validation.path)
  }

  private func verdict(_ problems: Set<TrustProblem>, _ mode: Pinning) -> TrustVerdict {
    if problems.isEmpty { return .unspecified }
    if problems.contains(where: \.isFatal) { return .fatal }
    if problems.contains(where: \.isDenial) { return .deny }
    let isAllowed = allowsInvalidCertificates && mode != .certificate
    return isAllowed && problems.allSatisfy(\.isWaivable) ? .proceed : .recoverable
  }
}
