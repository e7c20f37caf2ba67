extension PersistencePolicy {
  /// A rule's conditions as a few numbers: a subject whose traits they do not admit cannot match.
  ///
  /// Admitted subjects still have to be compared, because texts are hashed to few bits. Comparing
  /// at once takes ten times as long for 100 rules, most of it for the reference counts of their
  /// texts.
  struct Fingerprint: Hashable, Sendable {
    /// The bits of each condition.
    struct Mask: OptionSet, Hashable, Sendable {
      let rawValue: UInt64

      static let port = Mask(rawValue: 0xFFFF)
      static let `protocol` = Mask(rawValue: 0xFFFF << 16)
      static let method = Mask(rawValue: 0xFFFF << 32)
      static let proxy = Mask(rawValue: 1 << 48)
      static let secure = Mask(rawValue: 1 << 49)
      static let loopback = Mask(rawValue: 1 << 50)
    }

    /// The hash of the required host, or of the one below which it has to be; nil for any.
    private let host: UInt64?
    /// The other conditions; 0 for each that is not set.
    private let bits: Mask
    let asked: Mask

    init(_ rule: Rule) {
      host =
        switch rule.host {
        case nil, .any: nil
        case .exact(let host): Self.hashes(of: host).last
        case .subdomains(let parent): Self.hashes(of: parent).last.map { ~$0 }
        }
      var (bits, asked) = (Mask(), Mask())
      func ask(_ mask: Mask, _ wanted: Mask?) {
        guard let wanted else { return }
        asked.formUnion(mask)
        bits.formUnion(wanted)
      }
      ask(.port, rule.port.map { Self.number($0, 0) })
      ask(.protocol, rule.protocol.map { Self.number(Self.hash($0.rawValue), 16) })
      ask(.method, rule.authenticationMethod.map { Self.number(Self.hash($0.rawValue), 32) })
      ask(.proxy, rule.isProxy.map { $0 ? .proxy : [] })
      ask(.secure, rule.receivesCredentialSecurely.map { $0 ? .secure : [] })
      ask(.loopback, rule.isLoopback.map { $0 ? .loopback : [] })
      (self.bits, self.asked) = (bits, asked)
    }

    func admits(_ traits: Traits) -> Bool {
      traits.bits.intersection(asked) == bits && (host.map(traits.hosts.contains) ?? true)
    }

    /// The values of a subject that rules may have conditions on.
    struct Traits {
      fileprivate let bits: Mask
      fileprivate let hosts: [UInt64]

      init(of subject: Subject, asked: Mask) {
        var bits = Fingerprint.number(subject.port, 0)
        if !asked.isDisjoint(with: .protocol) {
          bits.formUnion(Fingerprint.number(Fingerprint.hash(subject.protocol.rawValue), 16))
        }
        if !asked.isDisjoint(with: .method) {
          let method = subject.authenticationMethod.rawValue
          bits.formUnion(Fingerprint.number(Fingerprint.hash(method), 32))
        }
        if asked.contains(.proxy), subject.isProxy { bits.formUnion(.proxy) }
        if asked.contains(.secure), subject.receivesCredentialSecurely { bits.formUnion(.secure) }
        if asked.contains(.loopback), subject.isLoopback { bits.formUnion(.loopback) }
        self.bits = bits
        hosts = Fingerprint.hashes(of: subject.host)
      }
    }

    private static func number(_ number: UInt16, _ place: UInt64) -> Mask {
      Mask(rawValue: UInt64(number) << place)
    }

    static func hash(_ text: String) -> UInt16 {
      UInt16(truncatingIfNeeded: text.utf8.reduce(basis) { ($0 ^ UInt64($1)) &* prime })
    }

    /// Returns the hashes of each name that the host is below, from the shortest, and last,
    /// inverted, of the host itself.
    private static func hashes(of host: HostName) -> [UInt64] {
      var hashes: [UInt64] = []
      hashes.reserveCapacity(8)
      var hash = basis
      // Read from the end, so that one pass computes all.
      for byte in host.unmapped.name.utf8.reversed() {
        if byte == UInt8(ascii: ".") { hashes.append(hash) }
        hash = (hash ^ UInt64(byte)) &* prime
      }
      hashes.append(~hash)
      return hashes
    }

    // FNV-1a. An attacker who finds another text with the same hash only causes one more
    // comparison.
    private static let basis: UInt64 = 0xCBF2_9CE4_8422_2325
    private static let prime: UInt64 = 0x100_0000_01B3
  }
}
