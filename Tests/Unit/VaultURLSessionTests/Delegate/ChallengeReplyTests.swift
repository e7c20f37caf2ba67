import CredentialVault
import Foundation
import FoundationNetworking
import SecureMemory
import TestSupport
import TestTraits
import Testing
import VaultModel
@testable import VaultURLSession

@Suite("A reply to a challenge", .waiting)
struct ChallengeReplyTests {
  private let calls = Lock<[(URLSession.AuthChallengeDisposition, hasCredential: Bool)]>([])

  private var reply: ChallengeReply {
    ChallengeReply { [calls] disposition, credential in
      calls.withLock { $0.append((disposition, credential != nil)) }
    }
  }

  @Test("It is taken once, whoever comes first")
  func once() {
    let reply = reply
    inThreads(8) { thread in
      if thread.isMultiple(of: 2) {
        reply.use(URLCredential(user: "ann", password: "right", persistence: .none))
      } else {
        reply.cancel()
      }
    }
    #expect(calls.withLock { $0.count } == 1)
  }

  @Test("It uses a credential, or cancels: nothing that Foundation hangs or crashes on")
  func dispositions() {
    reply.use(URLCredential(user: "ann", password: "right", persistence: .none))
    reply.cancel()
    let said = calls.withLock { $0 }
    #expect(said.map(\.0) == [.useCredential, .cancelAuthenticationChallenge])
    #expect(said.map(\.hasCredential) == [true, false])
  }
}

/// The information in a challenge's own response, and about its task.
@Suite("The server that asks", .waiting) struct AskingServerTests {
  private let session = URLSession(configuration: .ephemeral)

  /// Returns the space in which a credential for Basic is looked up, if a server there offers
  /// these.
  private func space(_ url: String, _ challenges: String) throws -> ProtectionSpace? {
    let url = try #require(URL(string: url))
    let response = HTTPURLResponse(
      url: url, statusCode: 401, httpVersion: "HTTP/1.1",
      headerFields: ["WWW-Authenticate": challenges])
    let challenge = URLAuthenticationChallenge(
      protectionSpace: foundationSpace(), proposedCredential: nil, previousFailureCount: 0,
      failureResponse: response, error: nil, sender: Sender())
    // It is never resumed.
    return try ChallengingServer(challenge, of: session.dataTask(with: url))?.spaceForBasic()
  }

  @Test("Where Digest is offered, too, Basic is answered over TLS, and not in clear")
  func digestAndBasic() throws {
    let both = "Digest realm=\"Team\", nonce=\"n\", qop=\"auth\", Basic realm=\"Team\""
    #expect(try space("https://h.test/", both)?.realm == "Team")
    #expect(try space("http://h.test/", both) == nil)
    #expect(try space("http://h.test/", "Basic realm=\"Team\"")?.realm == "Team")
  }

  @Test("A task that has ended is forgotten, even if the app keeps it")
  func forgotten() throws {
    let delegate = VaultSessionDelegate(.inMemory())
    let task = session.dataTask(with: try #require(URL(string: "http://h.test/")))
    delegate.answers.noteAnswer(of: task, foundationCredential("ann", "one"))
    #expect(delegate.answers.hasAnswered(task) && delegate.answers.count == 1)
    delegate.urlSession(session, task: task, didCompleteWithError: nil)
    #expect(!delegate.answers.hasAnswered(task) && delegate.answers.count == 0)
  }
}
