import CredentialVault
import Foundation
import HTTPAuthentication
import HTTPTesting
import ProgramTesting
import SecureMemory
import TestSupport
import Testing
import URLSessionTesting
import VaultModel

extension RealServers {
  @Suite("What is stored")
  struct StoringTests {
    @Test(
      "what was accepted is in the file, and a later program logs in unasked",
      arguments: Engine.allCases, ["basic", "digest"])
    func accepted(_ engine: Engine, path: String) async throws {
      let client = try Client(.use("ann", "correct horse"), over: engine)
      #expect(try client.fileItems() == 0)
      #expect(try await client.get("\(path)/1") == .page)
      #expect(try client.fileItems() == 1)
      #expect(
        try await client.runProgram(["get \(client.url("\(path)/2"))"], over: engine) == [
          "200 a page"
        ])
    }

    @Test(
      "what was refused is not in the file, and a later program asks",
      arguments: Engine.allCases, ["basic", "digest"])
    func refused(_ engine: Engine, path: String) async throws {
      let client = try Client(.use("ann", "wrong"), over: engine)
      #expect(try await client.get("\(path)/1").status == 401)
      #expect(try client.fileItems() == 0)
      let said = try await client.runProgram(["get \(client.url("\(path)/2"))"], over: engine)
      #expect(said.count == 2 && said.first?.hasPrefix("401 ") == true)
    }

    @Test(
      "what is remembered for the session or not at all is not in the file",
      arguments: Engine.allCases, [Persistence.none, .session])
    func persistence(_ engine: Engine, _ persistence: Persistence) async throws {
      let client = try Client(.use("ann", "correct horse", persistence), over: engine)
      #expect(try await client.get("basic/1") == .page)
      #expect(try client.fileItems() == 0)
      #expect(try client.items(.session).count == (persistence == .session ? 1 : 0))
    }

    @Test(
      "a stored password that is wrong now is asked for once, and the new one modifies its item",
      arguments: Engine.allCases, [AuthenticationMethod.basic, .digest])
    func changed(_ engine: Engine, _ method: AuthenticationMethod) async throws {
      let client = try Client(.use("ann", "correct horse"), over: engine)
      let item = try client.store(
        "ann", "battery staple", method == .basic ? "Team Files" : "Team Digest", method)
      #expect(try await client.get("\(method)/1") == .page)
      #expect(client.prompt.questions.map(\.failures) == [1])
      #expect(try client.hasPassword(item, "correct horse"))
      #expect(try client.vault.history.entries(of: item).count == 1)
      #expect(try client.items().count == 1 && client.storageErrors.isEmpty)
    }

    @Test("no log of any server has a password in it", arguments: Engine.allCases)
    func logs(_ engine: Engine) async throws {
      let client = try Client(.use("ann", "wrong"), .use("ann", "correct horse"), over: engine)
      #expect(try await client.get("basic/1") == .page)
      #expect(try await client.get("basic/away").status == 401)
      #expect(try client.requests(4).count == 4)
      #expect(try client.requests(1, at: client.servers.elsewhere).count == 1)
      // As it is, and as Basic sends it.
      let secrets = ["correct horse", "YW5uOmNvcnJlY3QgaG9yc2U"]
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
