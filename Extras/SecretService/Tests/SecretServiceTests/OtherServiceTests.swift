import BusMessages
import CredentialVault
import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import SecretService

@Suite("OtherService")
struct OtherServiceTests {
  /// What a service answers, by the path and the property or method.
  private static func answers(_ changes: [String: BusValue?] = [:]) -> [String: BusValue] {
    let secret = BusValue.structure([
      .path("/s"), .bytes(Secret("")), .bytes(Secret([0, 255, 10])), .text("application/x"),
    ])
    var answers: [String: BusValue] = [
      "/org/freedesktop/secrets Collections": .paths(["/login"]),
      "/login Locked": .flag(false), "/login Label": .text("Login"),
      "/login Items": .paths(["/login/1", "/login/2"]),
    ]
    for item in ["/login/1", "/login/2"] {
      answers["\(item) Attributes"] = .texts(["a": "", "B": "x"])
      answers["\(item) Label"] = .text("Label")
      answers["\(item) Created"] = .number(1_500_000_000)
      answers["\(item) Modified"] = .number(1_600_000_000)
      answers["\(item) GetSecret"] = secret
    }
    for (name, value) in changes { answers[name] = value }
    return answers
  }

  private func items(_ answers: [String: BusValue]) throws(VaultError) -> [Item] {
    try read(answers).items
  }

  private func read(
    _ answers: [String: BusValue]
  ) throws(VaultError) -> (items: [Item], leftOut: [(title: String, reason: String)]) {
    var items: [Item] = []
    let leftOut = try OtherService { (call) throws(VaultError) in
      switch call.member {
      case "OpenSession":
        #expect(call.signature == "sv" && call.arguments.first?.text == "plain")
        return [.variant(.text("")), .path("/s")]
      case "Close": return []
      case "Get":
        guard let value = answers["\(call.path) \(call.arguments[1].text ?? "")"] else {
          throw VaultError(.unavailable, "no such property")
        }
        return [.variant(value)]
      case "ReadAlias":
        #expect(call.arguments.first?.text == "default")
        return [answers["default"] ?? .path("/login")]
      default:
        #expect(call.arguments.first?.path == "/s")
        return answers["\(call.path) \(call.member)"].map { [$0] } ?? []
      }
    }.forEachItem { (item) throws(VaultError) in items.append(item) }
    return (items, leftOut)
  }

  @Test("items have their attributes, label, secret, type and times, and those alike stay two")
  func items() throws {
    let items = try items(Self.answers())
    #expect(items.count == 2 && items[0].key != items[1].key)
    for item in items {
      #expect(item.attributes == ["a": "", "B": "x"] && item.label == "Label")
      #expect(item.secret?.array == [0, 255, 10])
      #expect(item.custom[ItemStore.contentType] == "application/x")
      #expect(item.created == Timestamp(seconds: 1_500_000_000))
      #expect(item.modified == Timestamp(seconds: 1_600_000_000))
    }
  }

  @Test("what GNOME Keyring keeps of a program without a schema is the item of the server")
  func withoutSchema() throws {
    let attributes = [
      "server": "mail.example.com", "protocol": "imaps", "user": "ann",
      "xdg:schema": "org.freedesktop.Secret.Generic",
    ]
    let item = try items(Self.answers(["/login/1 Attributes": .texts(attributes)]))[0]
    #expect(item.server.name == "mail.example.com" && item.account == "ann")
    #expect(item.attributes == attributes)
  }

  @Test("a time that is none is now, and one beyond all time too")
  func times() throws {
    for time in [BusValue.number(0), .number(.max), .text("x")] {
      let item = try items(Self.answers(["/login/1 Created": time]))[0]
      #expect(item.created > Timestamp(seconds: 1_700_000_000))
    }
  }

  @Test("a locked collection is named, and stops no other one")
  func locked() throws {
    var answers = Self.answers(["/login Locked": .flag(true)])
    answers["/org/freedesktop/secrets Collections"] = .paths(["/login", "/open"])
    answers["/open Locked"] = .flag(false)
    answers["/open Items"] = .paths(["/login/2"])
    let (items, leftOut) = try read(answers)
    #expect(items.count { $0.secret != nil } == 1)
    #expect(
      leftOut.map(\.title) == ["Login"] && leftOut.map(\.reason) == ["the collection is locked"])
  }

  @Test("an item stays in its collection, which comes along with its label")
  func collections() throws {
    var answers = Self.answers()
    answers["/org/freedesktop/secrets Collections"] = .paths(["/login", "/Work"])
    answers["/Work Locked"] = .flag(false)
    answers["/Work Label"] = .text("Work, 2026")
    answers["/Work Items"] = .paths(["/Work/1"])
    for name in ["Attributes", "Label", "Created", "Modified", "GetSecret"] {
      answers["/Work/1 \(name)"] = answers["/login/1 \(name)"]
    }
    let items = try items(answers)
    #expect(
      items.map { ItemStore.collection(of: $0) }.sorted() == ["Work", "login", "login", "login"])
    let mark = try #require(items.first { $0.secret == nil })
    #expect(mark.key == CollectionStore.mark("Work", label: "").key && mark.label == "Work, 2026")
    #expect(mark.isNegative && mark.isInvisible)
    #expect(Set(items.map(\.key)).count == 4)
    let item = try #require(items.first { ItemStore.collection(of: $0) == "Work" })
    #expect(item.attributes == ["a": "", "B": "x"])
    let vault = Vault.inMemory()
    for item in items { try vault.add(item, persistence: .session) }
  }

  @Test("the default collection is the one of that name here, and another one of the name stays")
  func defaultCollection() throws {
    var answers = Self.answers(["default": .path("/kdewallet")])
    answers["/org/freedesktop/secrets Collections"] = .paths(["/login", "/kdewallet"])
    answers["/login Items"] = .paths(["/login/1"])
    answers["/kdewallet Locked"] = .flag(false)
    answers["/kdewallet Label"] = .text("KDE Wallet")
    answers["/kdewallet Items"] = .paths(["/login/2"])
    let items = try items(answers)
    let marks = items.filter { $0.secret == nil }
    #expect(marks.map(\.account) == ["login_2", "login"])
    #expect(marks.map(\.label) == ["Login", "KDE Wallet"])
    #expect(
      items.filter { $0.secret != nil }.map { ItemStore.collection(of: $0) } == [
        "login_2", "login",
      ])
    let alone = try self.items(Self.answers(["default": .path("/")]))
    #expect(alone.allSatisfy { $0.secret != nil && $0.custom[ItemStore.collectionName] == nil })
  }

  @Test("an answer of another form is named, and never half an item")
  func broken() throws {
    for value in [BusValue.status(1), nil] {
      #expect(throws: VaultError(.unavailable, "")) {
        try items(Self.answers(["/org/freedesktop/secrets Collections": value]))
      }
      for name in ["Attributes", "Label", "GetSecret"] {
        let (items, leftOut) = try read(Self.answers(["/login/2 \(name)": value]))
        #expect(items.count == 1)
        #expect(leftOut.map(\.title) == [name == "Label" ? "/login/2" : "Label"])
      }
      #expect(try read(Self.answers(["/login Items": value])).leftOut.map(\.title) == ["/login"])
    }
  }
}
