import CredentialVault
import Foundation
import HTTPAuthentication
import HTTPTesting
import ProgramTesting
import SecureMemory
import TestSupport
import Testing
import VaultModel

extension RealServers {
  @Suite("What is stored")
  struct StoringTests {
    /// An item stored for a page that challenges, with more or less precision.
    struct Entry: Sendable, CustomTestStringConvertible {
      let path: String
      let realm: String
      let method: AuthenticationMethod

      var testDescription: String { "/\(path)/, realm \"\(realm)\", method \(method)" }
      var isOfHashes: Bool { path == "sha256" }
    }

    @Test(
      "a stored password that is wrong now is asked for once, and the new one modifies its item",
      arguments: [
        Entry(path: "basic", realm: "Team Files", method: .basic),
        Entry(path: "digest", realm: "Team Digest", method: .digest),
        Entry(path: "sha256", realm: "Team SHA-256", method: .digest),
        Entry(path: "basic", realm: "Team Files", method: .default),
        Entry(path: "basic", realm: "", method: .basic),
        Entry(path: "digest", realm: "", method: .default),
      ])
    func changedPassword(_ entry: Entry) async throws {
      let client = try Client(.use("ann", "correct horse"))
      let server = entry.isOfHashes ? client.servers.hashes : client.servers.origin
      var item = try client.store("ann", "battery staple", entry.realm, entry.method, at: server)
      item = try client.vault.modify(
        item, [.label("Files"), .comment("asked for by the team")]
      ).item

      let visit = try await client.get("\(entry.path)/1", at: server)
      #expect(visit.statuses == [401, 401, 200] && visit.outcome.storageError == nil)
      let question = try #require(client.prompt.questions.first)
      #expect(client.prompt.questions.count == 1)
      #expect(question.failures == 1 && question.failedUser == "ann")

      let after = try client.vault.item(item.id, withSecrets: true)
      #expect(after.label == "Files" && after.comment == "asked for by the team")
      #expect(after.created == item.created && after.key == item.key)
      #expect(try client.hasPassword(item, "correct horse"))
      let history = try client.vault.history.entries(of: item, withSecrets: true)
      #expect(history.count == 1)
      let isOld = history.first?.secret?.isEqual(to: Secret("battery staple"))
      #expect(isOld == true)
      #expect(try client.items().count == 1)
      #expect(try client.items(.session) == [])
    }

    @Test(
      "an answer is in the file only once the server has accepted it",
      arguments: ["basic", "digest"])
    func acceptedFirst(path: String) async throws {
      let client = try Client(.use("ann", "correct horse"))
      let visit = try await client.get("\(path)/1") { reply in
        // Before the authenticator gets this response, as another program sees the file.
        let own = try client.items()
        let others = try client.fileItems()
        #expect(own == [] && others == 0, "after \(reply.status)")
      }
      #expect(visit.statuses == [401, 200])
      #expect(try client.fileItems() == 1)
    }

    @Test(
      "a password stays in the file whatever the server refuses", arguments: ["basic", "digest"])
    func kept(path: String) async throws {
      let client = try Client(
        .use("ann", "wrong"), .use("ann", "also wrong"), .goOnWithout)
      let realm = path == "basic" ? "Team Files" : "Team Digest"
      let item = try client.store(
        "ann", "no longer so", realm, path == "basic" ? .basic : .digest)
      let visit = try await client.get("\(path)/1")
      #expect(visit.statuses == [401, 401, 401, 401] && visit.outcome.reason == .rejected)
      #expect(client.prompt.questions.map(\.failures) == [1, 2, 3])
      #expect(try client.hasPassword(item, "no longer so"))
      #expect(try client.vault.history.entries(of: item).isEmpty)
      #expect(try client.items().count == 1 && client.items(.session) == [])
    }

    @Test("who is known and may not come in is not asked for another password, and keeps it")
    func forbidden() async throws {
      let client = try Client(.use("ann", "correct horse"))
      let item = try client.store("ann", "correct horse", "Team Files")
      let visit = try await client.get("forbidden/1")
      #expect(visit.statuses == [401, 403] && visit.outcome.reason == .refused)
      #expect(client.prompt.questions.isEmpty)
      #expect(try client.hasPassword(item, "correct horse"))
    }

    @Test("a page that is not there has accepted the password, too")
    func missing() async throws {
      let client = try Client(.use("ann", "correct horse"))
      let visit = try await client.get("basic/missing")
      #expect(visit.statuses == [401, 404] && visit.outcome.reason == .done)
      #expect(try client.items() == ["http origin Team Files basic ann"])
    }

    @Test(
      "what is remembered for the session or not at all is not in the file",
      arguments: [Persistence.none, .session])
    func persistence(_ persistence: Persistence) async throws {
      let client = try Client(.use("ann", "correct horse", persistence))
      let visit = try await client.get("basic/1")
      #expect(visit.statuses == [401, 200])
      #expect(try client.items() == [])
      #expect(
        try client.items(.session)
          == (persistence == .session ? ["http origin Team Files basic ann"] : []))
    }

    @Test("two realms of one host have a credential each")
    func realms() async throws {
      let client = try Client(.use("ann", "correct horse"), .use("bob", "b:o:b"))
      for page in ["basic/1", "archive/1"] {
        let visit = try await client.get(page)
        #expect(visit.statuses == [401, 200])
      }
      #expect(client.prompt.questions.map(\.space.realm) == ["Team Files", "Archive"])
      #expect(
        try client.items() == ["http origin Archive basic bob", "http origin Team Files basic ann"])
      for page in ["basic/2", "archive/2", "basic/3"] {
        let visit = try await client.get(page)
        #expect(visit.statuses == [200])
      }
      #expect(
        try client.requests(7) == [
          "- GET /archive/1 401 - -", "- GET /basic/1 401 - -", "ann GET /basic/1 200 Basic -",
          "ann GET /basic/2 200 Basic -", "ann GET /basic/3 200 Basic -",
          "bob GET /archive/1 200 Basic -", "bob GET /archive/2 200 Basic -",
        ])
    }

    @Test("no log of any server has a password in it")
    func logs() async throws {
      let client = try Client(
        .use("pat", "way out"), .use("ann", "wrong"), .use("ann", "correct horse"))
      let gate = client.servers.basicGate
      let visit = try await client.get("basic/1", through: gate)
      #expect(visit.statuses == [407, 401, 401, 200])
      #expect(try client.requests(4, at: gate).count == 4)
      #expect(try client.requests(3).count == 3)
      // As they are, and as Basic sends them.
      let secrets = ["correct horse", "way out", "YW5uOmNvcnJlY3QgaG9yc2U", "cGF0OndheSBvdXQ"]
      for server in client.servers.all {
        for name in ["access.log", "error.log", "output"] {
          let text = try server.log(name).joined(separator: "\n")
          #expect(
            !secrets.contains { text.contains($0) }, "\(server.folder.lastPathComponent)/\(name)")
        }
      }
    }
  }
}
