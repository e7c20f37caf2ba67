import Foundation
import ProgramTesting
import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import Interchange

@Suite("vaultctl's own export")
struct ExportTests {
  @Test("what was written is read as the same, for items of every shape", arguments: 0..<20)
  func identity(seed: UInt64) throws {
    var maker = ItemMaker(seed: seed)
    let items = try (0..<40).map { _ in try maker.item() }
    let (bytes, results) = try InterchangeFormat.json.written(items)
    let hasPlace = items.map { $0.secret != nil || $0.isNegative }
    #expect(results == hasPlace.map { $0 ? .written([]) : .leftOut(.noSecret) })
    let written = zip(items, hasPlace).filter(\.1).map(\.0)
    let entries = try InterchangeFormat.json.entries(bytes, piece: 1 + Int(seed) * 7)
    #expect(entries.flatMap(\.items).map { $0.contents() } == written.map { $0.contents() })
    #expect(entries.map(\.place) == (2..<(2 + written.count)).map { Place.line($0) })
    #expect(entries.filter(\.isDefault).isEmpty)
  }

  @Test("that an item is its space's default is kept, and an id is not")
  func defaultAndID() throws {
    let item = Item(
      server: try HostName("example.com"), account: "ann", secret: Secret("p"), protocol: .https)
    let (bytes, _) = try InterchangeFormat.json.written([item], isDefault: true)
    let entry = try #require(try InterchangeFormat.json.entries(bytes).first)
    #expect(entry.isDefault)
    #expect(entry.items.first?.id != item.id)
    #expect(entry.items.first?.revision == 0)
  }

  /// A rule with every part, and one without any.
  private static func rules() throws(VaultError) -> [PersistencePolicy.Rule] {
    var full = PersistencePolicy.Rule(name: "all \"parts\"")
    full.note = "a\nnote"
    full.host = try HostPattern("*.example.com")
    full.protocol = .https
    full.port = 443
    full.authenticationMethod = .basic
    full.isProxy = false
    full.receivesCredentialSecurely = true
    full.isLoopback = false
    full.maximumPersistence = .session
    full.lifetime = .milliseconds(90_001)
    full.persistOnlyAfterAcceptance = true
    full.requiresPIN = true
    full.allowsNTLM = false
    full.allowsNegotiateInClear = true
    var service = PersistencePolicy.Rule(name: "service")
    service.service = "backup*"
    service.refuse = true
    return [full, service, PersistencePolicy.Rule(name: "empty")]
  }

  private static func policy(_ bytes: [UInt8]) throws -> [PersistencePolicy.Rule]? {
    let entries = try InterchangeFormat.json.entries(bytes, piece: 11)
    return entries.compactMap { if case .policy(let rules) = $0.content { rules } else { nil } }
      .first
  }

  @Test("what is in the trash and the policy come back, and of other formats it is told")
  func wholeVault() throws {
    let item = Item(service: "backup", account: "ann", secret: Secret("p"))
    let time = Timestamp(milliseconds: 1_700_000_000_123)
    for format in InterchangeFormat.writable {
      var bytes: [UInt8] = []
      var writer = try format.writer(
        to: ByteSink { (piece) throws(VaultError) in bytes += piece.array })
      try writer.begin()
      let removed = try writer.write(
        removed: item, at: time, previous: Array(PreviousSecret.examples.prefix(1)))
      let isCarried = try writer.write(Self.rules())
      try writer.end()
      guard format == .json else {
        #expect(removed == .leftOut(.removed) && !isCarried)
        continue
      }
      #expect(removed == .written([]) && isCarried)
      let entry = try #require(try InterchangeFormat.json.entries(bytes).first)
      #expect(entry.removed == time && entry.previous.count == 1)
      let rules = try #require(try Self.policy(bytes))
      let expected = try Self.rules()
      #expect(rules.map(\.name) == expected.map(\.name))
      for (rule, other) in zip(rules, expected) {
        #expect(ExportRule.members(of: rule).count == ExportRule.members(of: other).count)
        #expect(rule.lifetime == other.lifetime && rule.host == other.host)
        #expect(rule.maximumPersistence == other.maximumPersistence && rule.note == other.note)
      }
      let document = try JSONSerialization.jsonObject(with: Data(bytes))
      #expect(try JSONSchema("export").problems(document) == [])
    }
  }

  @Test(
    "a rule that is not understood is rejected with all others, since half of it would grant more",
    arguments: [
      #"{"name":"x"}"#, #"{"id":"x","name":"x"}"#, "1",
      #"{"id":"00000000000000000000000001","name":"x","other":true}"#,
      #"{"id":"00000000000000000000000001","name":"x","port":65536}"#,
      #"{"id":"00000000000000000000000001","name":"x","max":"ever"}"#,
      #"{"id":"00000000000000000000000001","name":"x","refuse":"yes"}"#,
      #"{"id":"00000000000000000000000001","name":"x","refuse":null}"#,
      #"{"id":"00000000000000000000000001","name":"x","host":"a b"}"#,
    ])
  func refusedRules(_ rule: String) throws {
    let good = #"{"id":"00000000000000000000000002","name":"good"}"#
    let text = #"{"format":"vaultctl-export","version":1,"items":[],"policy":[\#(good),\#(rule)]}"#
    let entries = try InterchangeFormat.json.entries(Array(text.utf8))
    #expect(entries.count == 1 && entries.first?.isRejected == true)
  }

  @Test("what an item had before is kept, and of another format it is told")
  func previous() throws {
    let item = Item(
      server: try HostName("example.com"), account: "ann", secret: Secret("p"), protocol: .https)
    let examples = PreviousSecret.examples
    let (bytes, _) = try InterchangeFormat.json.written([item], previous: examples)
    let entry = try #require(try InterchangeFormat.json.entries(bytes, piece: 7).first)
    #expect(entry.items.count == 1)
    func parts(_ previous: PreviousSecret) -> [String] {
      [
        "\(previous.kind.rawValue) \(previous.set) \(previous.replaced)",
        "\(previous.expires.map { "\($0)" } ?? "never") \(previous.secret?.array ?? [])",
        "\(previous.certificates)",
      ]
    }
    #expect(entry.previous.map(parts) == examples.dropLast().map(parts))
    for format in InterchangeFormat.writable where format != .json {
      let (_, results) = try format.written([item], previous: examples)
      guard case .written(let losses)? = results.first else {
        Issue.record("\(format) left it out")
        continue
      }
      #expect(losses.contains(.previousSecrets))
    }
  }

  @Test(
    "a wrong previous secret rejects its item, and the next is read",
    arguments: [
      "1", "{}", "[1]", "[{}]", "[{T}]", #"[{T,"secret":{"hush":1}}]"#,
      #"[{T,"secret_base64":"hush!"}]"#, #"[{T,"secret":"hush","hush":1}]"#,
      #"[{T,"secret":"a","secret_kind":256}]"#, #"[{T,"secret":"a","expires":"hush"}]"#,
      #"[{"set":"2020-01-01T00:00:00Z","secret":"a"}]"#,
      "[" + Array(repeating: #"{T,"secret":"a"}"#, count: 101).joined(separator: ",") + "]",
    ])
  func wrongPrevious(_ previous: String) throws {
    let times = #""set":"2020-01-01T00:00:00Z","replaced":"2020-01-01T00:00:00Z""#
    let wrong = previous.replacing("{T", with: "{\(times)")
    let good = #"{"class":"generic","service":"s","secret":"p"}"#
    let entries = try Self.entries(
      #"{"class":"generic","service":"r","secret":"p","previous":\#(wrong)},\#(good)"#)
    #expect(entries.count == 2)
    let reason = try #require(entries.first?.rejection)
    #expect(!reason.contains("hush"))
    #expect(entries.last?.items.first?.key.service == "s")
  }

  @Test("no item is a document, too")
  func empty() throws {
    let (bytes, _) = try InterchangeFormat.json.written([])
    #expect(try InterchangeFormat.json.entries(bytes).isEmpty)
  }

  private static func entries(_ items: String) throws(VaultError) -> [Entry] {
    let text = #"{"format":"vaultctl-export","version":1,"items":[\#(items)]}"#
    return try InterchangeFormat.json.entries(Array(text.utf8))
  }

  @Test(
    "a wrong value rejects its item, and the others are read",
    arguments: [
      "5", "null", "[]", "{}", #"{"class":"other","secret":"p"}"#,
      #"{"class":"generic","service":"s","default":true,"secret":"p"}"#,
      #"{"class":"internet","service":"s","secret":"p"}"#,
      #"{"class":"generic","server":"h.example","secret":"p"}"#,
      #"{"class":"internet","server":"a b","secret":"p"}"#,
      #"{"class":"internet","server":7,"secret":"p"}"#,
      #"{"class":"internet","port":65536,"secret":"p"}"#,
      #"{"class":"internet","port":-1,"secret":"p"}"#,
      #"{"class":"internet","port":"1","secret":"p"}"#,
      #"{"class":"internet","protocol":"a b","secret":"p"}"#,
      #"{"class":"internet","auth":"a b","secret":"p"}"#,
      #"{"class":"internet","invisible":1,"secret":"p"}"#,
      #"{"class":"internet","expires":"soon","secret":"p"}"#,
      #"{"class":"internet","creator":"abcde","secret":"p"}"#,
      #"{"class":"internet","secret_kind":"other","secret":"p"}"#,
      #"{"class":"internet","secret_kind":256,"secret":"p"}"#,
      #"{"class":"internet","custom":{"a":1},"secret":"p"}"#,
      #"{"class":"internet","custom":{"":"b"},"secret":"p"}"#,
      #"{"class":"internet","custom":{"é":"1","e\u0301":"2"},"secret":"p"}"#,
      #"{"class":"internet","secret":1}"#, #"{"class":"internet","secret_base64":"A"}"#,
      #"{"class":"internet","secret":"a","secret_base64":"AA=="}"#,
      #"{"class":"generic","service":"s","generic":"A","secret":"p"}"#,
      #"{"class":"internet","id":"x","secret":"p"}"#,
      #"{"class":"internet","label_base64":"AA==","secret":"p"}"#,
      #"{"class":"internet","other":1,"secret":"p"}"#,
      #"{"class":"internet","revision":1,"secret":"p"}"#,
      #"{"class":"internet","account":"a\u0000b","secret":"p"}"#,
    ])
  func rejected(_ item: String) throws {
    let good = #"{"class":"internet","server":"h.example","auth":"","secret":"p"}"#
    let entries = try Self.entries("\(item),\(good)")
    #expect(entries.count == 2)
    let reason = try #require(entries.first?.rejection)
    #expect(reason != "no password")
    #expect(entries.last?.items.first?.server.name == "h.example")
    #expect(entries.last?.items.first?.authenticationMethod == .unset)
  }

  @Test("an item has a password, perhaps an empty one, or the mark that it has none")
  func withoutPassword() throws {
    for members in ["", #","negative":false"#, #","refresh_token":"t""#] {
      let entries = try Self.entries(#"{"class":"internet","server":"h.example"\#(members)}"#)
      #expect(entries.map(\.rejection) == ["no password"])
    }
    for members in [#""secret":"""#, #""secret_base64":"""#, #""negative":true"#] {
      let entries = try Self.entries(#"{"class":"generic","service":"s",\#(members)}"#)
      #expect(entries.first?.items.count == 1)
    }
  }

  @Test("a reason to reject holds nothing of a secret")
  func silent() throws {
    for member in [
      #""secret_base64":"hush!""#, #""hush":"hush""#, #""secret":{"hush":"hush"}"#,
      #""account":"hush\u0000","secret":"hush""#,
    ] {
      let entries = try Self.entries(#"{"class":"internet","server":"h.example",\#(member)}"#)
      guard case .rejected(let reason)? = entries.first?.content else {
        Issue.record("not rejected")
        continue
      }
      #expect(!reason.contains("hush"))
    }
  }

  @Test(
    "what is no export is refused, and a newer one as too new",
    arguments: [
      (#"{}"#, VaultError.Code.invalidData), (#"[]"#, .invalidData), ("", .invalidData),
      (#"{"items":[]}"#, .invalidData), (#"{"format":"vaultctl-export","items":[]}"#, .invalidData),
      (#"{"format":"other","version":1,"items":[]}"#, .invalidData),
      (#"{"format":"vaultctl-export","version":0,"items":[]}"#, .invalidData),
      (#"{"format":"vaultctl-export","version":1.0,"items":[]}"#, .invalidData),
      (#"{"format":"vaultctl-export","version":2,"items":[]}"#, .tooNew),
      (#"{"format":"vaultctl-export","version":1,"items":{}}"#, .invalidData),
      (#"{"format":"vaultctl-export","version":1,"items":[],"more":1}"#, .invalidData),
      (#"{"format":"vaultctl-export","version":1,"items":[]} x"#, .invalidData),
      (#"{"format":"vaultctl-export","version":1,"items":["#, .invalidData),
    ])
  func refused(_ text: String, _ code: VaultError.Code) {
    #expect(throws: VaultError(code, "")) {
      _ = try InterchangeFormat.json.entries(Array(text.utf8))
    }
  }

  @Test("times in the future count as now, so that no secret outlives its policy")
  func future() throws {
    let time = "9999-01-01T00:00:00Z"
    let entries = try Self.entries(
      #"{"class":"internet","server":"h.example","created":"\#(time)","modified":"\#(time)","#
        + #""secret_changed":"\#(time)","expires":"\#(time)","secret":"p"}"#)
    let item = try #require(entries.first?.items.first)
    let now = Timestamp.now()
    #expect(item.created <= now && item.modified <= now && item.secretChanged <= now)
    #expect(item.expires?.rfc3339 == time)
  }
}

@Suite("Base 64")
struct Base64Tests {
  @Test("every length is read as it was written", arguments: 0..<70)
  func roundTrip(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + count) }
    var text = SecretBuffer()
    Secret(bytes).withRawBytes { Base64.encode($0, into: &text) }
    #expect(try Base64.decode(text.secret(0..<text.count)).array == bytes)
  }

  @Test("the examples of RFC 4648 are read")
  func examples() throws {
    for (text, decoded) in [
      ("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"),
      ("Zm9vYmE=", "fooba"), ("Zm9vYmFy", "foobar"),
    ] {
      #expect(try Base64.decode(Secret(text)).array == Array(decoded.utf8))
    }
  }

  @Test(
    "anything else is refused",
    arguments: [
      "Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "====", "Z===", "Zm9v\n", "Zm 9v", "Zm-_", "=Zm9",
      "Zg==Zg==",
    ])
  func refused(_ text: String) {
    #expect(throws: VaultError(.invalidData, "")) { _ = try Base64.decode(Secret(text)) }
  }
}
