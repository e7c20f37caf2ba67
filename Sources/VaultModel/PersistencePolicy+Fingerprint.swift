extension PersistencePolicy {
  /// A rule's conditions in three numbers: a subject that they do not admit cannot match.
  ///
  /// What they admit has to be compared, because texts are hashed to few bits. To compare at once takes ten times as long for
  /// 100 rules, most of it for the reference counts of their texts.
  struct Fingerprint: Hashable, Sendable {
    /// The hash of the host that is asked for, or of the one below which it has to be; nil for any.
    private let host: UInt64?
    /// The other conditions, packed; 0 where the mask is.
    private let bits: UInt64
    private let mask: UInt64

    init(_ rule: Rule) {
      host =
        switch rule.host {
        case nil, .any: nil
        case .exact(let host): Self.hashes(of: host).last
        case .subdomains(let parent): Self.hashes(of: parent).last.map { ~$0 }
        }
      bits = Self.pack(
        port: rule.port ?? 0, protocol: rule.protocol.map { Self.hash($0.rawValue) } ?? 0,
        method: rule.authenticationMethod.map { Self.hash($0.rawValue) } ?? 0,
        isProxy: rule.isProxy == true, isSecure: rule.receivesCredentialSecurely == true,
        isLoopback: rule.isLoopback == true)
      mask = Self.pack(
        port: rule.port == nil ? 0 : .max, protocol: rule.protocol == nil ? 0 : .max,
        method: rule.authenticationMethod == nil ? 0 : .max, isProxy: rule.isProxy != nil,
        isSecure: rule.receivesCredentialSecurely != nil, isLoopback: rule.isLoopback != nil)
    }

    func admits(_ subject: Subject) -> Bool {
      subject.bits & mask == bits && (host.map(subject.hostHashes.contains) ?? true)
    }

    static func pack(
      port: UInt16, protocol: UInt16, method: UInt16, isProxy: Bool, isSecure: Bool,
      isLoopback: Bool
    ) -> UInt64 {
      UInt64(port) | UInt64(`protocol`) << 16 | UInt64(method) << 32
        | (isProxy ? 1 << 48 : 0) | (isSecure ? 1 << 49 : 0) | (isLoopback ? 1 << 50 : 0)
    }

    static func hash(_ text: String) -> UInt16 {
      UInt16(truncatingIfNeeded: text.utf8.reduce(basis) { ($0 ^ UInt64($1)) &* prime })
    }

    /// Of each name that the host is below, from the shortest, and last, inverted, of itself.
    static func hashes(of host: Host) -> [UInt64] {
      var hashes: [UInt64] = []
      hashes.reserveCapacity(8)
      var hash = basis
      // From the end, so that one pass gives all.
      for byte in host.unmapped.name.utf8.reversed() {
        if byte == UInt8(ascii: ".") { hashes.append(hash) }
        hash = (hash ^ UInt64(byte)) &* prime
      }
      hashes.append(~hash)
      return hashes
    }

    // FNV-1a. Who finds another text of the same hash has made one more comparison necessary.
    private static let basis: UInt64 = 0xCBF2_9CE4_8422_2325
    private static let prime: UInt64 = 0x100_0000_01B3
  }
}
