import CredentialVault
import HTTPAuthentication
import SecureMemory
import Testing
import VaultModel

/// The credentials that are kept on a redirect.
@Suite struct RedirectTests {
  private let authenticator = Authenticator(vault: .inMemory(), beforeChallenge: .always)

  private func first() throws -> Exchange {
    var request = try RequestHead.get("https://h/x")
    request.credential = .of("ann", "pw")
    request.account = "ann"
    return try authenticator.exchange(for: request)
  }

  @Test(
    "to another origin goes neither the request's credential nor its account, and not back again",
    arguments: ["http://h/y", "https://other/y", "https://h:444/y", "https://ann@other/y"])
  func otherOrigin(_ url: String) throws {
    let target = try first().redirected(to: RequestURL(url))
    #expect(target.fields.isEmpty)
    #expect(target.request.credential == nil)
    #expect(target.request.account == nil)
    #expect(target.request.url.user == nil)
    let back = try target.redirected(to: RequestURL("https://h/x"))
    #expect(back.fields.isEmpty)
    #expect(back.request.credential == nil && back.request.account == nil)
  }

  @Test("within the origin both go along, and the request's method unless another is asked for")
  func sameOrigin() throws {
    let target = try first().redirected(to: RequestURL("https://h:443/y"), method: "HEAD")
    #expect(target.fields.count == 1)
    #expect(target.request.account == "ann")
    #expect(target.request.method == "HEAD")
    #expect(try target.redirected(to: RequestURL("https://h/z")).request.method == "HEAD")
  }

  @Test("a user or password that a server writes into the URL counts for nothing")
  func writtenByServer() throws {
    let exchange = try authenticator.exchange(for: .get("https://ann:pw@h/x"))
    let target = try exchange.redirected(to: RequestURL("https://eve:other@h/y"))
    let ann = try BasicResponse.value(.of("ann", "pw"))
    #expect(target.fields.count == 1 && target.fields[0].value.isEqual(to: ann))
    #expect(target.request.url.user == "ann")
    let plain = try authenticator.exchange(for: .get("https://h/x"))
      .redirected(to: RequestURL("https://eve:other@h/y"))
    #expect(plain.fields.isEmpty && plain.request.url.user == nil)
  }
}
