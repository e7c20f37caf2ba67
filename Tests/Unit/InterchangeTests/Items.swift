import SecureMemory
import TestSupport
import VaultModel

@testable import Interchange

/// Items of every shape, the same in each run.
struct ItemMaker {
  private var random: SplitMix
  private let texts: [String]

  /// Creates a maker whose texts are words if it is plain, else also whatever a format escapes.
  init(seed: UInt64, isPlain: Bool = false) {
    random = SplitMix(seed: seed)
    let words = ["ann", "Bob", "x", "näme", "日本", "a.b-c_d~e", "=SUM(A1)", "@cmd", "+1", "-1"]
    texts =
      isPlain
      ? words
      : words + [
        "two words", " blanks ", "\"quoted\"", "a,b", "a\\b", "#hash", "line\nfeed", "a\r\nb",
        "tab\tbed", "per%cent", "a:b@c/d?e#f", "<&>'", "{\"a\":1}", "é\u{301}", "\u{1}\u{7F}\u{9B}",
        "😀", "--", "null", "true", "0",
      ]
  }

  private mutating func one<Value>(of values: [Value]) -> Value {
    values[Int(random.next() % UInt64(values.count))]
  }

  private mutating func chance(_ percent: UInt64) -> Bool { random.next() % 100 < percent }

  mutating func text() -> String { one(of: texts) }

  private mutating func time() -> Timestamp {
    Timestamp(milliseconds: 1_000_000_000_000 + Int64(random.next() % 700_000_000) * 1000)
  }

  mutating func server() throws -> HostName {
    try HostName(
      one(of: [
        "example.com", "a.example.com", "xn--nxasmq6b.example", "localhost", "127.0.0.1", "::1",
        "fe80::1%eth0", "h-\(random.next() % 1000).example",
      ]))
  }

  mutating func secret() -> Secret {
    chance(20)
      ? Secret((0..<40).map { _ in UInt8(truncatingIfNeeded: random.next()) })
      : Secret(text() + text())
  }

  /// Makes an item with the key's parts and, with chances, everything else.
  mutating func item() throws -> Item {
    if chance(25) {
      var item = Item(service: text(), account: text(), secret: secret())
      if chance(50) { item.generic = [0, 1, 254, 255] }
      try fill(&item)
      return item
    }
    var item = Item(
      server: try server(), account: chance(80) ? text() : "", secret: secret(),
      protocol: one(of: [.https, .http, .ftp, .imaps, .httpProxy, .sftp, .unset]),
      port: one(of: [0, 0, 443, 8443, 65535]), realm: chance(40) ? text() : "",
      path: chance(30) ? one(of: ["a", "a/b", "/lead", "trail/", "a b", "q?x=1"]) : "",
      authenticationMethod: one(of: [.default, .default, .basic, .digest, .bearer, .unset]))
    if chance(20) { item.accountDomain = text() }
    if chance(20) { item.certificates = [0x30, 0, 255] }
    try fill(&item)
    return item
  }

  private mutating func fill(_ item: inout Item) throws {
    if chance(50) { item.label = text() }
    if chance(40) { item.comment = text() + text() }
    if chance(20) { item.kind = text() }
    if chance(20) { item.origin = one(of: ["app", "git", "docker"]) }
    if chance(20) { item.creator = one(of: [0x6162_6364, 0x0000_0001, 0xFFFF_FFFF]) }
    if chance(20) { item.type = 0x6674_7020 }
    if chance(10) { item.isInvisible = true }
    if chance(10) { item.isNegative = true }
    if chance(10) { item.secret = nil }
    if chance(20) { item.secretKind = one(of: [.token, .identity, SecretKind(rawValue: 77)]) }
    if chance(20) { item.refreshToken = secret() }
    if chance(20) { item.expires = time() }
    if chance(30) { item.custom = [text(): text(), text() + "2": text()] }
    item.created = time().adding(milliseconds: chance(50) ? 0 : 678)
    item.modified = item.created.adding(milliseconds: 1000)
    item.secretChanged = item.created.adding(milliseconds: chance(50) ? 0 : 1000)
  }
}

extension Item {
  /// Returns everything that a file can carry of the item, as text that a failed test shows: no
  /// secret of a test is really one.
  func contents(without left: Set<Attribute> = []) -> [String] {
    [String(describing: key.itemClass)]
      + Attribute.all.compactMap { attribute in
        guard !left.contains(attribute), ![.id, .revision, .keptUntil].contains(attribute),
          let value = self[attribute]
        else { return nil }
        let text =
          switch value {
          case .secret(let secret): "\(secret.array)"
          case .custom(let texts): "\(texts.sorted { $0.key < $1.key })"
          default: "\(value)"
          }
        return "\(attribute.name) = \(text)"
      }
  }
}

extension InterchangeFormat {
  /// Reads a test's file: all its entries.
  func entries(
    _ bytes: [UInt8], piece: Int = 1 << 16
  ) throws(VaultError) -> [Entry] {
    var reader = try reader(of: ByteSource(bytes, piece: piece))
    var entries: [Entry] = []
    while let entry = try reader.next() { entries.append(entry) }
    return entries
  }

  /// Writes items, as the bytes of a file, with what became of each.
  func written(
    _ items: [Item], isDefault: Bool = false, previous: [PreviousSecret] = []
  ) throws(VaultError) -> (bytes: [UInt8], results: [WritingResult]) {
    var bytes: [UInt8] = []
    var writer = try writer(to: ByteSink { (piece) throws(VaultError) in bytes += piece.array })
    try writer.begin()
    var results: [WritingResult] = []
    for item in items {
      results.append(try writer.write(item, isDefault: isDefault, previous: previous))
    }
    try writer.end()
    return (bytes, results)
  }
}

extension Entry {
  var isRejected: Bool { if case .rejected = content { true } else { false } }

  var exclusion: Exclusion? { if case .leftOut(let reason) = content { reason } else { nil } }
}

extension PreviousSecret {
  /// Previous secrets of every shape, the newest first; the last has expired.
  static let examples = [
    example(40, "two", .password, expires: nil),
    example(30, "one\n\"", .token, expires: 99_999_999_999),
    PreviousSecret(
      id: ID(item: .unset, replaced: time(20)), kind: SecretKind(rawValue: 9), set: time(10),
      expires: nil, keptUntil: nil, certificates: [0x30, 1, 255], secret: Secret([0xFF, 0])),
    PreviousSecret(
      id: ID(item: .unset, replaced: time(5)), kind: .password, set: time(1), expires: time(6),
      keptUntil: nil, secret: nil),
  ]

  private static func example(
    _ replaced: Int64, _ secret: String, _ kind: SecretKind, expires: Int64?
  ) -> PreviousSecret {
    PreviousSecret(
      id: ID(item: .unset, replaced: time(replaced)), kind: kind, set: time(replaced - 5),
      expires: expires.map(time), keptUntil: nil, secret: Secret(secret))
  }

  private static func time(_ seconds: Int64) -> Timestamp {
    Timestamp(milliseconds: 1_600_000_000_000 + seconds * 1000)
  }
}
