import CredentialVault
import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import Testing
import VaultModel
import VaultURLSession

/// A protocol of the app's own, as tests of apps use it in place of a network.
private final class Pretended: URLProtocol {
  static let seen = Lock<[String?]>([])

  override class func canInit(with request: URLRequest) -> Bool { true }
  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
  override func stopLoading() {}
  override func startLoading() {
    let field = request.value(forHTTPHeaderField: "Authorization")
    Self.seen.withLock { $0.append(field.map { String($0.prefix(5)) }) }
    let url = request.url ?? URL(filePath: "/")
    let response = HTTPURLResponse(
      url: url, statusCode: field == nil ? 401 : 200, httpVersion: "HTTP/1.1",
      headerFields: field == nil ? ["WWW-Authenticate": "Basic realm=\"Team\""] : [:])
    if let response {
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    }
    client?.urlProtocol(self, didLoad: Data("page".utf8))
    client?.urlProtocolDidFinishLoading(self)
  }
}

@Suite("A protocol of the app's own") struct OwnProtocolTests {
  @Test("logs in through it as through Foundation's", .timeLimit(.minutes(5)))
  func pretended() async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [Pretended.self]
    let vault = Vault.inMemory()
    try await vault.set(
      Credential(user: "ann", secret: Secret("right"), persistence: .session),
      for: ProtectionSpace(host: "h.test", protocol: .http, realm: "Team"))
    let session = URLSession(configuration: configuration).authenticated(by: vault)
    let url = try #require(URL(string: "http://h.test/page"))
    let (data, response) = try await session.data(from: url)
    #expect(data.text == "page" && response.status == 200)
    #expect(Pretended.seen.withLock { $0 } == [nil, "Basic"])
  }
}
