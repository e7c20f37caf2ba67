import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import Interchange

@Suite("Import of an export")
struct IdentityTests {
  private static let others = InterchangeFormat.writable.filter { $0 != .json }

  /// Returns the attributes that no format but our own carries as they are.
  ///
  /// Git's file makes every entry one of Git's.
  private static func uncarried(_ format: InterchangeFormat) -> Set<Attribute> {
    format == .gitCredentials ? [.origin] : []
  }

  private static func comparable(
    _ item: Item, without losses: Set<Loss>, _ format: InterchangeFormat
  ) -> [String] {
    var (item, left) = (item, uncarried(format))
    for loss in losses {
      switch loss {
      case .attribute(let attribute): left.insert(attribute)
      case .times: left.formUnion([.created, .modified, .secretChanged])
      case .fractions:
        item.created = item.created.withoutFraction
        item.modified = item.modified.withoutFraction
        item.secretChanged = item.secretChanged.withoutFraction
      case .isDefault, .previousSecrets, .expiredSecrets, .quoting: break
      }
    }
    // A store gives a label to an item without one, which is not a loss.
    item.applyDefaultLabel()
    // Any password method is the same to all programs.
    if item.authenticationMethod == .unset, format != .keychainDump {
      item.authenticationMethod = .default
    }
    return item.contents(without: left)
  }

  @Test(
    "gives each item as it was, but for what was said to be lost", arguments: others, 0..<12)
  func identity(format: InterchangeFormat, seed: UInt64) throws {
    var maker = ItemMaker(seed: seed, isPlain: seed % 3 == 0)
    let items = try (0..<60).map { _ in try maker.item() }
    let (bytes, results) = try format.written(items)
    let entries = try format.entries(bytes)
    var written: [(item: Item, losses: Set<Loss>)] = []
    for (item, result) in zip(items, results) {
      if case .written(let losses) = result { written.append((item, losses)) }
    }
    #expect(written.count > 5)
    #expect(entries.count == written.count)
    for (entry, (item, losses)) in zip(entries, written) {
      guard let read = entry.items.first, entry.items.count == 1 else {
        Issue.record("\(format): \(line(entry)), of \(item.contents())")
        continue
      }
      #expect(
        Self.comparable(read, without: losses, format)
          == Self.comparable(item, without: losses, format))
    }
  }

  @Test("what is left out is without a place there, and everything else is written")
  func leftOut() throws {
    let server = try HostName("h.example")
    let item = Item(
      server: server, account: "a", secret: Secret("p"), protocol: .https)
    var (none, empty, bytes, lines) = (item, item, item, item)
    none.secret = nil
    empty.secret = Secret("")
    bytes.secret = Secret([0xFF])
    lines.secret = Secret("a\nb")
    let service = Item(service: "s", account: "a", secret: Secret("p"))
    var scheme = item
    scheme.protocol = .unset
    var (negative, identity) = (item, item)
    negative.isNegative = true
    identity.secretKind = .identity
    let all = [item, none, empty, bytes, lines, service, scheme, negative, identity]
    let never: [Omission?] = [.negative, .identity]
    func omissions(_ format: InterchangeFormat) throws -> [Omission?] {
      try format.written(all).results.map { result in
        if case .leftOut(let reason) = result { reason } else { nil }
      }
    }
    let table = [nil, .noSecret, .noSecret, .secretNotText, nil, .noServer, nil] + never
    #expect(try omissions(.firefox) == table)
    #expect(try omissions(.chrome) == table)
    #expect(
      try omissions(.bitwarden)
        == [nil, .noSecret, .noSecret, .secretNotText, nil, nil, nil] + never)
    #expect(
      try omissions(.netrc)
        == [nil, .noSecret, .noSecret, .secretNotText, .lineBreak, .noServer, nil] + never)
    #expect(
      try omissions(.gitCredentials)
        == [nil, .noSecret, .noSecret, .secretNotText, .lineBreak, .noServer, .noProtocol] + never)
    #expect(
      try omissions(.keychainDump) == [nil, .noSecret, .noSecret, nil, nil, nil, nil] + never)
    #expect(try omissions(.json) == [nil, .noSecret] + Array(repeating: nil, count: 7))
  }

  @Test("a value that begins like a formula is written as it is")
  func formulas() throws {
    for start in ["=", "+", "-", "@"] {
      let secret = "\(start)HYPERLINK(1)"
      let item = Item(
        server: try HostName("h.example"), account: start, secret: Secret(secret),
        protocol: .https)
      for format in Self.others {
        let (bytes, _) = try format.written([item])
        let read = try format.entries(bytes).first?.items.first
        #expect(read?.secret?.array == Array(secret.utf8))
        #expect(read?.account == start)
      }
    }
  }
}

extension Timestamp {
  fileprivate var withoutFraction: Timestamp {
    Timestamp(milliseconds: milliseconds - milliseconds % 1000)
  }
}
