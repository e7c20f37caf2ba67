import Foundation
import HTTPAuthentication
import HTTPTesting
import ProgramTesting
import SecureMemory
import Testing
import VaultModel

extension RealServers {
  @Suite("Each scheme")
  struct SchemeTests {
    @Test(
      "what is answered once is accepted, as curl's own login is, and stored", arguments: Scheme.all
    )
    func logIn(_ scheme: Scheme) async throws {
      let password = try #require(Servers.users[scheme.user])
      let client = try Client(.use(scheme.user, password))
      let server = client.servers[keyPath: scheme.server]
      let visit = try await client.get("\(scheme.path)/1", at: server)
      #expect(visit.statuses == [401, 200])
      #expect(visit.reply.body == Servers.page)
      #expect(visit.outcome.reason == .done && visit.outcome.storageError == nil)

      let question = try #require(client.prompt.questions.first)
      #expect(client.prompt.questions.count == 1)
      #expect(question.space.realm == scheme.realm)
      #expect(question.space.authenticationMethod == scheme.method)
      #expect(question.travelsInClear == (scheme.method == .basic))
      #expect(try client.items() == scheme.items(of: client.servers))
      #expect(try client.requests(2, at: server) == scheme.log())

      if scheme.hasReference {
        let credential = Credential(
          user: scheme.user, secret: Secret(password), persistence: .none)
        let reference = try await client.reference(
          "\(scheme.path)/1", at: server, CurlRequest.Login(credential, method: scheme.method))
        #expect(reference.status == 200 && reference.body == visit.reply.body)
      }
    }

    @Test(
      "what is stored answers a later program's challenge, and nobody is asked",
      arguments: Scheme.all)
    func stored(_ scheme: Scheme) async throws {
      let password = try #require(Servers.users[scheme.user])
      let client = try Client()
      let server = client.servers[keyPath: scheme.server]
      let item = try client.store(
        scheme.user, password, scheme.realm, scheme.method, at: server)
      let visit = try await client.get("\(scheme.path)/1", at: server)
      #expect(visit.statuses == [401, 200])
      #expect(visit.reply.body == Servers.page)
      #expect(client.prompt.questions.isEmpty)
      #expect(try client.hasPassword(item, password))
    }

    @Test(
      "a wrong password is refused, as curl's own is, and nothing of it is stored",
      arguments: Scheme.all)
    func wrong(_ scheme: Scheme) async throws {
      let client = try Client(.use(scheme.user, "wrong"))
      let server = client.servers[keyPath: scheme.server]
      let visit = try await client.get("\(scheme.path)/1", at: server)
      #expect(visit.statuses == [401, 401])
      #expect(visit.outcome.reason == .cancelled)
      let questions = client.prompt.questions
      #expect(questions.map(\.failures) == [0, 1])
      #expect(questions.map(\.failedUser) == [nil, scheme.user])
      #expect(try client.items() == [])
      if scheme.hasReference {
        let credential = Credential(user: scheme.user, secret: Secret("wrong"), persistence: .none)
        let reference = try await client.reference(
          "\(scheme.path)/1", at: server, CurlRequest.Login(credential, method: scheme.method))
        #expect(reference.status == 401 && reference.body == visit.reply.body)
      }
    }
  }
}
