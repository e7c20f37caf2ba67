import ProgramTesting
import TestTraits
import Testing

@Suite("the page on URLSession", .waiting)
struct URLSessionPageTests {
  /// The names that each table of the mapping has a row for, in its order.
  static let mapping: [(title: String, names: [String])] = [
    (
      "`URLProtectionSpace`",
      [
        "init(host:port:protocol:realm:authenticationMethod:)",
        "init(proxyHost:port:type:realm:authenticationMethod:)", "host", "port", "protocol",
        "realm", "authenticationMethod", "proxyType", "isProxy()", "receivesCredentialSecurely",
        "distinguishedNames",
      ]
    ),
    (
      "`URLCredential`",
      [
        "init(user:password:persistence:)", "user", "password", "hasPassword", "persistence",
        "isEqual(_:)", "encode(with:)",
      ]
    ),
    ("`URLCredential.Persistence`", ["none", "forSession", "permanent", "synchronizable"]),
    (
      "authentication method",
      [
        "Default", "HTTPBasic", "HTTPDigest", "HTMLForm", "NTLM", "Negotiate",
        "ClientCertificate", "ServerTrust",
      ].map { "NSURLAuthenticationMethod\($0)" }
    ),
    (
      "protocol or proxy",
      ["HTTP", "HTTPS", "FTP", "HTTPProxy", "HTTPSProxy", "FTPProxy", "SOCKSProxy"]
        .map { "NSURLProtectionSpace\($0)" }
    ),
    (
      "`URLCredentialStorage`",
      [
        "shared", "credentials(for:)", "allCredentials", "set(_:for:)", "remove(_:for:)",
        "remove(_:for:options:)", "defaultCredential(for:)", "setDefaultCredential(_:for:)",
        "getCredentials(for:task:completionHandler:)", "set(_:for:task:)",
        "remove(_:for:options:task:)", "getDefaultCredential(for:task:completionHandler:)",
        "setDefaultCredential(_:for:task:)", "NSURLCredentialStorageChanged",
        "NSURLCredentialStorageRemoveSynchronizableCredentials",
      ]
    ),
    (
      "`URLSession.AuthChallengeDisposition`",
      [
        "useCredential", "performDefaultHandling", "cancelAuthenticationChallenge",
        "rejectProtectionSpace",
      ]
    ),
    (
      "callback",
      ["didBecomeInvalidWithError:", "didReceive:completionHandler:"]
        .map { "urlSession(_:\($0))" }
        + [
          "didReceive:completionHandler:",
          "willPerformHTTPRedirection:newRequest:completionHandler:", "needNewBodyStream:",
          "didSendBodyData:totalBytesSent:totalBytesExpectedToSend:", "didCompleteWithError:",
          "willBeginDelayedRequest:completionHandler:", "didFinishCollecting:",
        ].map { "urlSession(_:task:\($0))" }
        + [
          "didReceive:completionHandler:", "didBecome:", "didReceive:",
          "willCacheResponse:completionHandler:",
        ].map { "urlSession(_:dataTask:\($0))" }
        + [
          "didFinishDownloadingTo:",
          "didWriteData:totalBytesWritten:totalBytesExpectedToWrite:",
          "didResumeAtOffset:expectedTotalBytes:",
        ].map { "urlSession(_:downloadTask:\($0))" }
        + ["didOpenWithProtocol:", "didCloseWith:reason:"]
        .map { "urlSession(_:webSocketTask:\($0))" }
    ),
  ]

  /// The API that is missing on Linux, as far as it has a name.
  static let missing = [
    "urlSession(_:didReceive:completionHandler:)", "challenge.sender",
    "NSURLAuthenticationMethodServerTrust", "NSURLAuthenticationMethodClientCertificate",
    "bytes(for:)", "connectionProxyDictionary", "data(for:delegate:)",
  ]

  let page: ReferencePage

  init() throws { page = try ReferencePage("Documentation/urlsession.md") }

  @Test("each property, method and constant of the mapping is a row", arguments: mapping)
  func rows(_ title: String, _ names: [String]) throws {
    #expect(try page.rows(title).flatMap { page.codes($0[0]) } == names)
  }

  @Test("a row of the mapping names a test, unless nothing is there or nothing is done with it")
  func rowsAreTested() throws {
    for (title, _) in Self.mapping {
      for row in try page.rows(title) {
        let isTested = row.count == 3 && !page.codes(row[2]).isEmpty
        #expect(isTested || row[1].hasPrefix("nothing: ") || row[1] == "told", "\(row[0])")
      }
    }
  }

  @Test("what Linux lacks is a row, with what to do instead")
  func lacks() throws {
    let rows = try page.rows("on Apple's systems")
    let named = rows.flatMap { page.codes($0[0]) }
    for name in Self.missing { #expect(named.contains(name), "\(name)") }
    for row in rows { #expect(row.count == 3 && !row[2].isEmpty, "\(row[0])") }
  }

  @Test("each scenario that is played is named, and none other")
  func scenarios() throws {
    let source = try Project.text(of: "Tests/Support/URLSessionTesting/Scenario.swift")
    let ours = try #require(source.split(separator: "package enum StockScenario").first)
    let played = Set(
      ours.matches(of: /\n  case ([a-zA-Z]+)(?: = "([a-z-]+)")?/).map { String($0.2 ?? $0.1) })
    try #require(played.count > 25)
    let table = try page.rows("in Foundation 6.3.1").flatMap { row in
      row.dropFirst().flatMap { page.codes($0) }
    }
    #expect(Set(table) == played)
    #expect(table.count == played.count)
    let dispositions = try page.rows("`URLSession.AuthChallengeDisposition`")
    #expect(dispositions.allSatisfy { played.isSuperset(of: page.codes($0[2])) })
  }

  @Test("every test that the page names exists")
  func tests() throws {
    try #require(page.tests.count > 60)
    #expect(try page.missingTests() == [])
  }

  @Test("its links lead to files")
  func links() throws {
    for link in page.page.links {
      #expect(throws: Never.self, "\(link)") { try Project.text(of: "Documentation/\(link)") }
    }
  }

  @Test("its Swift lines are those of a test, byte for byte")
  func swift() throws {
    #expect(page.page.blocks.map(\.language) == Array(repeating: "swift", count: 5))
    #expect(
      try page.strangeSwift("Tests/Unit/VaultURLSessionTests/URLSessionExampleTests.swift") == [])
  }
}
