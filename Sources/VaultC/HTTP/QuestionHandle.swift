import CVault
import Glibc
import HTTPAuthentication
import VaultModel

/// A question while the C function that answers it runs.
final class QuestionHandle: Handle, @unchecked Sendable {
  // All state that is not immutable belongs to the thread that runs the function: ``asked(_:)``
  // returns the handle to no other one.

  let question: Question
  private let thread = pthread_self()
  /// The credential that the function gave.
  var credential: Credential?
  /// The stored user that the function gave.
  var storedUser: String?

  private init(_ question: Question) {
    self.question = question
  }

  /// Returns the question for a pointer while its function runs, on this thread.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is none.
  @safe static func asked(_ pointer: OpaquePointer?) throws(VaultError) -> QuestionHandle {
    let handle = try at(pointer)
    guard pthread_equal(handle.thread, pthread_self()) != 0 else {
      throw VaultError(.invalidArgument, "a question belongs to another thread")
    }
    return handle
  }

  /// Lets a C function answer a question.
  static func answer(
    _ question: Question, _ function: (OpaquePointer?) -> vault_http_answer_t
  ) -> Answer {
    let handle = QuestionHandle(question)
    // A handle is not an address.
    let answer = unsafe function(handle.givenOut())
    handle.release()
    switch answer {
    case VAULT_HTTP_USE: return handle.credential.map(Answer.use) ?? .goOnWithout
    case VAULT_HTTP_USE_STORED:
      return handle.storedUser.map { .useStored(user: $0) } ?? .goOnWithout
    case VAULT_HTTP_DECLINE_SCHEME: return .declineScheme
    case VAULT_HTTP_CANCEL_REQUEST: return .cancel(.request)
    case VAULT_HTTP_CANCEL_SPACE: return .cancel(.space)
    case VAULT_HTTP_CANCEL_ALL: return .cancel(.all)
    default: return .goOnWithout
    }
  }
}
