import CVault
import Foundation
import SecureMemory
import TestSupport
import Testing
import VaultC

/// In this process, where a test sees the library's own code.
@Suite("questions through the C interface")
struct QuestionTests {
  /// A function's question, and what calls for it and its exchange returned.
  ///
  /// Safe: a handle is a number that nobody reads through.
  // Unchecked: the thread that asks fills it, and hands it to the test when it ends.
  @safe private final class Asked: @unchecked Sendable {
    var question: OpaquePointer?
    var here: [vault_status_t] = []
    var elsewhere: [vault_status_t] = []
    var exchange: OpaquePointer?
    var response: OpaquePointer?
    var ofExchange: [vault_status_t] = []
    /// The value of the one field that the exchange sends then.
    var sent = ""
  }

  /// Calls every function that takes a question, the last two for a user, and returns the results.
  private static func useAll(_ question: OpaquePointer?, for user: String) -> [vault_status_t] {
    var (number, text, stored) = unsafe (UInt64(0), vault_buffer_t(), vault_buffer_t())
    let password = "\(user)'s"
    defer {
      unsafe vault_buffer_free(&text)
      unsafe vault_buffer_free(&stored)
    }
    // The places are this function's own, and the texts are valid during each call.
    return unsafe [
      vault_http_question_copy_text(question, VAULT_HTTP_QUESTION_HOST, &text),
      vault_http_question_get_number(question, VAULT_HTTP_QUESTION_PORT, &number),
      vault_http_question_copy_stored_user(question, 1, &stored),
      vault_http_question_set_stored_user(question, user, user.utf8.count),
      vault_http_question_set_credential(
        question, user, user.utf8.count, password, password.utf8.count, VAULT_PERSISTENCE_NONE),
    ]
  }

  /// Answers by a credential that is given here, before another one is given on another thread.
  private static let answer: vault_http_prompt_t = { question, context in
    guard let context = unsafe context else { return VAULT_HTTP_CANCEL_ALL }
    // The object lives until the exchange returns, and nobody else gets the pointer.
    let asked = unsafe Unmanaged<Asked>.fromOpaque(context).takeUnretainedValue()
    unsafe asked.question = question
    asked.here = unsafe useAll(question, for: "ann")
    // A handle is a number that nobody reads through.
    nonisolated(unsafe) let handle = unsafe question
    let statuses = Lock<[vault_status_t]>([])
    inThreads(1) { _ in
      let result = unsafe useAll(handle, for: "eve")
      statuses.withLock { $0 = result }
    }
    asked.elsewhere = statuses.withLock { $0 }
    var (fields, count, step) = unsafe (
      UnsafeMutablePointer<vault_http_field_t>?.none, 0, VAULT_HTTP_FINISH
    )
    // The places are this function's own.
    asked.ofExchange = unsafe [
      vault_http_exchange_copy_fields(asked.exchange, &fields, &count),
      vault_http_exchange_next(asked.exchange, asked.response, nil, nil, &step),
    ]
    return VAULT_HTTP_USE
  }

  /// Asks on a thread of its own: the function of C waits, which would stop a thread of all tasks.
  private static func asked() async throws -> Asked {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try ask() }) }
    }
  }

  /// Has the library ask for a credential of a server where two users are stored.
  private static func ask() throws -> Asked {
    let vault = try CVaultObject.inMemory()
    for account in ["bob", "carol"] {
      let item = try CAttributes(
        [
          VAULT_ACCOUNT.rawValue: account, VAULT_SERVER.rawValue: "example.com",
          VAULT_PROTOCOL.rawValue: "https",
        ], secret: "secret")
      try item.set(VAULT_PORT, 443)
      _ = try vault.add(item)
    }
    var (authenticator, request) = unsafe (OpaquePointer?.none, OpaquePointer?.none)
    var (exchange, response) = unsafe (OpaquePointer?.none, OpaquePointer?.none)
    defer {
      // Handles that were given out here, or NULL.
      unsafe vault_http_exchange_free(exchange)
      unsafe vault_http_response_free(response)
      unsafe vault_http_request_free(request)
      unsafe vault_http_authenticator_free(authenticator)
    }
    let (url, challenge) = ("https://example.com/", "Basic realm=\"Team\"")
    // The places are this function's own, and the texts are valid during each call.
    try unsafe check(
      vault_http_authenticator_create(vault.handle, UInt32(VAULT_HTTP_NO_OPTIONS), &authenticator))
    try unsafe check(vault_http_request_create("GET", 3, url, url.utf8.count, &request))
    try unsafe check(vault_http_exchange_create(authenticator, request, &exchange))
    try unsafe check(vault_http_response_create(401, &response))
    try unsafe check(
      vault_http_response_add_field(
        response, "WWW-Authenticate", 16, challenge, challenge.utf8.count))
    let asked = Asked()
    unsafe (asked.exchange, asked.response) = unsafe (exchange, response)
    var step = VAULT_HTTP_FINISH
    let status = withExtendedLifetime(asked) {
      // The object lives until the call returns, and nobody else gets the pointer.
      unsafe vault_http_exchange_next(
        exchange, response, Self.answer, Unmanaged.passUnretained(asked).toOpaque(), &step)
    }
    try check(status)
    try check(step == VAULT_HTTP_SEND ? VAULT_OK : VAULT_INTERNAL_ERROR)
    asked.sent = try unsafe Self.authorization(of: exchange)
    return asked
  }

  @Test("a question is only valid until its function returns, and on its thread")
  func validity() async throws {
    let asked = try await Self.asked()
    #expect(asked.here == [vault_status_t](repeating: VAULT_OK, count: 5))
    let refused = [vault_status_t](repeating: VAULT_INVALID_ARGUMENT, count: 5)
    #expect(asked.elsewhere == refused)
    let later = unsafe Self.useAll(asked.question, for: "eve")
    #expect(later == refused)
    // What the other thread gave is not sent.
    #expect(asked.sent == "Basic YW5uOmFubidz")
  }

  @Test("the exchange that asks is in use until it has its answer")
  func exchange() async throws {
    let asked = try await Self.asked()
    #expect(asked.ofExchange == [VAULT_INVALID_ARGUMENT, VAULT_INVALID_ARGUMENT])
    #expect(asked.sent == "Basic YW5uOmFubidz")
  }

  /// Returns the value of the one field that an exchange sends.
  private static func authorization(of exchange: OpaquePointer?) throws(Failure) -> String {
    var fields: UnsafeMutablePointer<vault_http_field_t>?
    var count = 0
    // The places are this function's own, and the array is as long as is said.
    try check(unsafe vault_http_exchange_copy_fields(exchange, &fields, &count))
    defer { unsafe vault_http_fields_free(fields, count) }
    guard count == 1, let bytes = unsafe fields?.pointee.value.bytes else { return "" }
    return unsafe String(cString: bytes)
  }
}
