import BusMessages
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
    #expect(items.count == 1)
    #expect(
      leftOut.map(\.title) == ["Login"] && leftOut.map(\.reason) == ["the collection is locked"])
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
