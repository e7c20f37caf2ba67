public import VaultModel

/// The object that a pin names: one of these has to be in a server's chain.
public enum Pin: Hashable, Sendable {
  // Indirect, because a pin is mostly the other case, which is much smaller.

  /// A certificate, byte for byte.
  indirect case certificate(Certificate)
  /// The SHA-256 of a public key (SubjectPublicKeyInfo), whatever certificate has it.
  case publicKey(Fingerprint)

  /// The public key that it names, also by a certificate.
  public var publicKeyHash: Fingerprint {
    switch self {
    case .certificate(let certificate): certificate.publicKeyHash
    case .publicKey(let hash): hash
    }
  }
}

/// Pins, and for which hosts and how long they are valid.
public struct PinSet: Hashable, Sendable {
  /// The pins.
  ///
  /// One of them should be a backup: of a key that no server has yet.
  public var pins: [Pin]
  /// The host that they are for; ``HostName/unset`` for whatever host is evaluated.
  public var host: HostName
  /// Whether they are also for the names below ``host``.
  public var includesSubdomains: Bool
  /// The moment after which they do not count; nil for never.
  ///
  /// Then the chain is evaluated as without pins, and not refused: a program that nobody updates
  /// goes on working.
  public var expires: Timestamp?
  /// Whether a chain without a pin is only reported (``TrustEvaluation/isReported``), and not
  /// refused.
  public var isReportOnly: Bool

  /// Creates a set of pins.
  public init(
    _ pins: [Pin], host: HostName = .unset, includesSubdomains: Bool = false,
    expires: Timestamp? = nil, isReportOnly: Bool = false
  ) {
    self.pins = pins
    self.host = host
    self.includesSubdomains = includesSubdomains
    self.expires = expires
    self.isReportOnly = isReportOnly
  }

  /// Returns whether they count for a host at a time.
  func apply(to evaluated: HostName?, at time: Timestamp) -> Bool {
    if let expires, time > expires { return false }
    guard !host.isUnset, let evaluated else { return host.isUnset }
    return evaluated == host || (includesSubdomains && evaluated.isSubdomain(of: host))
  }

  /// Returns whether a pin is in a validated path.
  func isSatisfied(by path: [Certificate], _ pinning: TrustPolicy.Pinning) -> Bool {
    switch pinning {
    case .none: return true
    case .publicKey:
      let keys = Set(pins.map(\.publicKeyHash))
      return path.contains { keys.contains($0.publicKeyHash) }
    case .certificate:
      let certificates = Set(certificates)
      return path.contains(where: certificates.contains)
    }
  }

  /// The pinned certificates.
  var certificates: [Certificate] {
    pins.compactMap { if case .certificate(let certificate) = $0 { certificate } else { nil } }
  }
}

extension PinSet {
  /// Reads the pins of a `Public-Key-Pins` field (RFC 7469 §2.1), or a curl option's
  /// `sha256//…;sha256//…`.
  ///
  /// Unknown directives and pins of other hash functions are skipped, as RFC 7469 requires.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - host: The host that they are for.
  ///   - time: The moment at which the text was received, from which `max-age` counts.
  /// - Throws: ``VaultError/Code/invalidData`` if a pin is malformed, if there is none, or for a
  ///   `max-age` that is not a number.
  public init(
    text: String, host: HostName = .unset, receivedAt time: Timestamp
  ) throws(VaultError) {
    self.init([], host: host)
    for directive in Directive.read(text) {
      switch directive.name {
      case "pin-sha256": pins.append(.publicKey(try Fingerprint(base64: directive.value)))
      case "max-age":
        guard let seconds = Int64(directive.value), seconds >= 0 else {
          throw VaultError(.invalidData, "pins: max-age is no number of seconds")
        }
        expires = time.adding(.seconds(min(seconds, 1 << 40)))
      case "includesubdomains": includesSubdomains = true
      default: continue
      }
    }
    guard !pins.isEmpty else { throw VaultError(.invalidData, "pins: there is none") }
  }

  /// The pins as a curl option: `sha256//…;sha256//…`.
  public var curlText: String { pins.map(\.publicKeyHash.pin).joined(separator: ";") }

  /// The pins as the directives of RFC 7469: `pin-sha256="…"; pin-sha256="…"`.
  public var directives: String {
    let texts = pins.map { "pin-sha256=\"\($0.publicKeyHash.base64)\"" }
    return (texts + (includesSubdomains ? ["includeSubDomains"] : [])).joined(separator: "; ")
  }
}
