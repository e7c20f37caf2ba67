public import CVault
import HTTPAuthentication
import SecureMemory
import VaultModel

// Each pointer is what `vault_http.h` says of it; it is checked for NULL, and not kept. Places are
// written last.

/// Copies a text of a question; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_question_copy_text(
  _ question: OpaquePointer?, _ which: vault_http_question_text_t,
  _ text: UnsafeMutablePointer<vault_buffer_t>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let question = try QuestionHandle.asked(question).question
    let place = try unsafe required(text)
    unsafe place.pointee = try vault_buffer_t(copying: question.text(which))
  }
}

/// Reads a number of a question; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_question_get_number(
  _ question: OpaquePointer?, _ which: vault_http_question_number_t,
  _ number: UnsafeMutablePointer<UInt64>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let question = try QuestionHandle.asked(question).question
    let place = try unsafe required(number)
    unsafe place.pointee = try question.number(which)
  }
}

/// Copies a stored user; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_question_copy_stored_user(
  _ question: OpaquePointer?, _ index: Int, _ user: UnsafeMutablePointer<vault_buffer_t>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let users = try QuestionHandle.asked(question).question.storedUsers
    let place = try unsafe required(user)
    guard users.indices.contains(index) else {
      throw VaultError(.invalidArgument, "there are not so many stored users")
    }
    unsafe place.pointee = try vault_buffer_t(copying: users[index])
  }
}

/// Gives the credential of an answer; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_question_set_credential(
  _ question: OpaquePointer?, _ user: UnsafePointer<CChar>?, _ user_count: Int,
  _ password: UnsafeRawPointer?, _ password_count: Int, _ persistence: vault_persistence_t
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try QuestionHandle.asked(question)
    handle.credential = try unsafe Input.credential(
      user: user, user_count, password: password, password_count,
      persistence: Persistence(persistence))
  }
}

/// Gives the stored user of an answer; the contract is in `vault_http.h`.
@c @implementation
public func vault_http_question_set_stored_user(
  _ question: OpaquePointer?, _ user: UnsafePointer<CChar>?, _ count: Int
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try QuestionHandle.asked(question)
    handle.storedUser = try unsafe Input.text(required(user), count)
  }
}

extension Question {
  fileprivate func text(_ which: vault_http_question_text_t) throws(VaultError) -> String {
    switch which {
    case VAULT_HTTP_QUESTION_HOST: return space.host.name
    case VAULT_HTTP_QUESTION_PROTOCOL: return space.protocol.rawValue
    case VAULT_HTTP_QUESTION_REALM: return space.realm
    case VAULT_HTTP_QUESTION_METHOD: return space.authenticationMethod.rawValue
    case VAULT_HTTP_QUESTION_URL: return url.description
    case VAULT_HTTP_QUESTION_USER: return user ?? ""
    case VAULT_HTTP_QUESTION_FAILED_USER: return failedUser ?? ""
    default: throw VaultError(.invalidArgument, "a text that a question does not have")
    }
  }

  fileprivate func number(_ which: vault_http_question_number_t) throws(VaultError) -> UInt64 {
    switch which {
    case VAULT_HTTP_QUESTION_PORT: return UInt64(space.port)
    case VAULT_HTTP_QUESTION_SIDE: return space.protocol.isProxy ? 1 : 0
    case VAULT_HTTP_QUESTION_IN_CLEAR: return travelsInClear ? 1 : 0
    case VAULT_HTTP_QUESTION_FAILURES: return UInt64(failures)
    case VAULT_HTTP_QUESTION_STORED_USERS: return UInt64(storedUsers.count)
    case VAULT_HTTP_QUESTION_REQUIRES_ACCOUNT_DOMAIN: return requiresAccountDomain ? 1 : 0
    default: throw VaultError(.invalidArgument, "a number that a question does not have")
    }
  }
}
