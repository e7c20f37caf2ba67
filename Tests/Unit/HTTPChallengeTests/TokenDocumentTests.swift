import HTTPChallenge
import SecureMemory
import TestSupport
import Testing
import VaultModel

/// The answers of issuers.
@Suite struct TokenDocumentTests {
  private func read(_ text: String) throws -> TokenDocument { try TokenDocument(Secret(text)) }

  @Test("the fields that matter are read, in any order and with any escapes, and others skipped")
  func fields() throws {
    let document = try read(
      """
       { "scope": ["a", {"b": [null, true, -1.5e+3, "\\u00e9]}"]}], "expires_in": 3600,
         "access_token": "a\\/b\\u002Bc\\ud83d\\udd11", "token_type":"Bearer",
         "refresh_token" :"r\\"1" }
      """)
    #expect(document.token?.isEqual(to: Secret("a/b+c\u{1F511}")) == true)
    #expect(document.refreshToken?.isEqual(to: Secret("r\"1")) == true)
    #expect(document.type == "Bearer" && document.lifetime == 3600 && document.error.isEmpty)
    let registry = try read(
      #"{"token":"t","access_token":"t","expires_in":"300","issued_at":"2026-01-01T00:00:00Z"}"#)
    #expect(registry.token?.isEqual(to: Secret("t")) == true && registry.lifetime == 300)
    #expect(try read(#"{"token":"t"}"#).lifetime == nil)
    #expect(try read(#"{"token":"t","expires_in":59.9}"#).lifetime == 59)
    let refusal = try read(#"{"error":"invalid_grant","token":""}"#)
    #expect(refusal.token == nil && refusal.error == "invalid_grant")
  }

  @Test(
    "what is not one JSON object, or has another kind of value there, is invalid",
    arguments: [
      "", " ", "{", "}", "[]", "\"t\"", "null", "{}{}", "{} x", #"{"token"}"#, #"{"token":}"#,
      #"{"token":"t""#, #"{"token":"t",}"#, #"{,"token":"t"}"#, #"{"token":"t" "a":1}"#,
      #"{"token":"t","token":"u"}"#, #"{"token":1}"#, #"{"token":null}"#, #"{"token":["t"]}"#,
      #"{"token":"\x"}"#, #"{"token":"\u12"}"#, #"{"token":"\ud800"}"#, #"{"token":"\udc00x"}"#,
      #"{"token":"\ud800\u0041"}"#, "{\"token\":\"a\nb\"}", #"{"expires_in":"x"}"#,
      #"{"expires_in":-}"#, #"{"expires_in":1234567890123456}"#, #"{"a":[1,]}"#, #"{"a":{"b"}}"#,
      #"{"a":"# + String(repeating: "[", count: 20) + String(repeating: "]", count: 20) + "}",
    ])
  func malformed(_ text: String) throws {
    #expect(throws: VaultError(.invalidData, "")) { try read(text) }
  }

  @Test("an answer has a limit")
  func limit() throws {
    let most = TokenDocument.longest
    let text = #"{"token":"t"}"#
    #expect(try read(text + String(repeating: " ", count: most - text.utf8.count)).token != nil)
    #expect(throws: VaultError(.tooLarge, "")) {
      try read(text + String(repeating: " ", count: most))
    }
  }

  @Test("mutated answers are read or refused, and the error never shows them")
  func mutated() throws {
    var random = SplitMix(seed: 6750)
    let seed = Array(
      #"{"a":[{"b":"\u00e9\ud83d\udd11"},-1.5e3,true],"token":"secret","expires_in":300}"#.utf8)
    for _ in 0..<5000 {
      var bytes = seed
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let index = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[index] = .random(in: .min ... .max, using: &random)
        case 1: bytes.remove(at: index)
        default: bytes.insert(bytes.randomElement(using: &random) ?? 0, at: index)
        }
      }
      do throws(VaultError) {
        _ = try TokenDocument(Secret(copying: bytes.span))
      } catch {
        #expect(error.code == .invalidData && !error.context.contains("secret"))
      }
    }
  }
}
