import BusMessages
import CredentialVault
import SecureMemory
import Testing
import VaultModel

@testable import SecretService

@Suite("Searches of the Secret Service by any attribute")
struct IndexTests {
  /// Returns how many items a body has the service look at.
  private func examined(
    _ bench: ServiceFixture, _ body: () throws -> Void
  ) rethrows -> Int {
    let before = bench.service.items.examined
    try body()
    return bench.service.items.examined - before
  }

  @Test("they look at the items of the rarest attribute, and once at all after others changed any")
  func counted() throws {
    let bench = try ServiceFixture()
    let count = 200
    for number in 0..<count {
      _ = try bench.create(["application": "test", "number": "\(number)"])
      _ = try bench.create([
        "server": "example.com", "protocol": "https", "user": "user\(number)",
        "object": "/\(number)",
      ])
    }
    let searches: [[String: String]] = [
      ["application": "test", "number": "7"], ["user": "user7"], ["object": "7"],
      ["number": "none"], ["protocol": "https", "object": "/7"],
    ]
    let ofSearches = try examined(bench) {
      for attributes in searches {
        let found = try bench.search(attributes).unlocked
        #expect(found.count == (attributes["number"] == "none" ? 0 : 1))
      }
    }
    #expect(ofSearches == 4)
    // What the service itself stores, changes and removes is no reason to look at all again.
    let ofChanges = try examined(bench) {
      let path = try bench.create(["application": "test", "number": "new"])
      _ = try bench.create(["application": "test", "number": "new"], Secret("newer"))
      #expect(try bench.search(["number": "new"]).unlocked == [path])
      try bench.call(path, "Item", "Delete")
      #expect(try bench.search(["number": "new"]).unlocked == [])
    }
    #expect(ofChanges < 5)
    // What others store is found, and what they remove is not.
    let added = try bench.vault.add(Item(service: "s", account: "u"))
    let ofAll = try examined(bench) {
      let found = try bench.search(["service": "s"]).unlocked
      #expect(found.count == 1)
    }
    #expect(ofAll == 2 * count + 2)
    try bench.vault.remove(added.item)
    #expect(try bench.search(["service": "s"]).unlocked == [])
    #expect(try bench.search(["user": "user7"]).unlocked.count == 1)
  }

  @Test("what others store just before the service does is found, and what they remove is not")
  func beside() throws {
    let bench = try ServiceFixture()
    _ = try bench.create(["a": "1"])
    let others = try bench.vault.add(Item(service: "s", account: "u"))
    let path = try bench.create(["a": "2"], replaces: false)
    #expect(try bench.search(["service": "s"]).unlocked.count == 1)
    try bench.vault.remove(others.item)
    try bench.call(path, "Item", "Delete")
    #expect(try bench.search(["service": "s"]).unlocked == [])
    #expect(try bench.search([:]).unlocked.count == 1)
  }

  @Test("an item of the session is found beside those of the file, and hides the one of its key")
  func session() throws {
    let bench = try ServiceFixture()
    let attributes = ["service": "s", "username": "u"]
    let path = try bench.create(attributes)
    let hiding = try bench.create(attributes, in: ServiceFixture.session)
    #expect(try bench.search(attributes).unlocked == [hiding])
    try bench.call(hiding, "Item", "Delete")
    #expect(try bench.search(attributes).unlocked == [path])
  }

  @Test("nothing of the items is kept when the vault is locked")
  func forgotten() throws {
    let bench = try ServiceFixture()
    let path = try bench.create(["a": "1"])
    let id = try ItemID(text: String(path.suffix(26)))
    #expect(bench.service.items.hasSeen(id) && bench.service.items.isIndexed)
    try bench.call(ServiceFixture.path, "Service", "Lock", .paths([ServiceFixture.login]))
    #expect(!bench.service.items.hasSeen(id) && !bench.service.items.isIndexed)
  }
}
