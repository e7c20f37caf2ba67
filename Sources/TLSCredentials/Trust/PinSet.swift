public import VaultModel

/// The object that a pin names: one of these has to be in a server's chain.
public enum Pin: Hashable, Sendable {
  /// A certificate, byte for byte.
  case certificate(Certificate)
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
  /// Whether they are for the names below ``host``, too.
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
  ///   `max-age` that is no number.
  public init(
    text: String, host: HostName = .unset, receivedAt time: Timestamp
  ) throws(VaultError) {
    self.init([], host: host)
    for part in text.split(separator: ";") {
      let part = part.trimmingBlanks
      if part.hasPrefix("sha256//") {
        pins.append(try Self.pin(part.dropFirst("sha256//".count)))
        continue
      }
      let pair = part.split(separator: "=", maxSplits: 1)
      let value = (pair.count == 2 ? pair[1] : "").trimmingBlanks.unquoted
      switch pair.first?.trimmingBlanks.lowercased() {
      case "pin-sha256": pins.append(try Self.pin(value))
      case "max-age":
        guard let seconds = Int64(value), seconds >= 0 else {
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
  public var curlText: String {
    pins.map { "sha256//\($0.publicKeyHash.base64)" }.joined(separator: ";")
  }

  /// The pins as the directives of RFC 7469: `pin-sha256="…"; pin-sha256="…"`.
  public var directives: String {
    let texts = pins.map { "pin-sha256=\"\($0.publicKeyHash.base64)\"" }
    return (texts + (includesSubdomains ? ["includeSubDomains"] : [])).joined(separator: "; ")
  }

  private static func pin(_ text: some StringProtocol) throws(VaultError) -> Pin {
    let base64 = Secret(String(text))
    guard text.utf8.count == 44, let bytes = Base64.bytes(of: base64), bytes.count == 32 else {
      throw VaultError(.invalidData, "pins: not the Base64 of a SHA-256")
    }
    return .publicKey(Fingerprint(unchecked: bytes.public))
  }
}

extension StringProtocol {
  /// The text without blanks at either end.
  fileprivate var trimmingBlanks: SubSequence {
    var text = self[...]
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return text
  }

  /// The text without the quotation marks around it.
  fileprivate var unquoted: SubSequence {
    count >= 2 && first == "\"" && last == "\"" ? dropFirst().dropLast() : self[...]
  }
}
