import FoundationNetworking
import SecureMemory
import TestSupport
import Testing

@testable import VaultURLSession

@Suite("A reply to a challenge")
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
