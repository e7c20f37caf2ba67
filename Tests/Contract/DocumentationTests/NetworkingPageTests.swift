import ProgramTesting
import TestTraits
import Testing

@Suite("the page on HTTP authentication", .waiting)
struct NetworkingPageTests {
  static let functions =
    [
      "GetTypeID", "CreateFromResponse", "IsValid", "AppliesToRequest", "RequiresOrderedRequests",
      "CopyRealm", "CopyDomains", "CopyMethod", "RequiresUserNameAndPassword",
      "RequiresAccountDomain",
    ].map { "CFHTTPAuthentication\($0)" }
    + ["ApplyCredentials", "ApplyCredentialDictionary", "AddAuthentication"].map {
      "CFHTTPMessage\($0)"
    }

  static let properties = [
    "username", "password", "domain", "proxyUsername", "proxyPassword", "proxyDomain",
    "useKeychainPersistence", "useSessionPersistence", "shouldPresentCredentialsBeforeChallenge",
    "authenticationScheme", "proxyAuthenticationScheme", "authenticationRealm",
    "proxyAuthenticationRealm", "requestCredentials", "proxyCredentials", "authenticationNeeded",
    "authenticationRetryCount", "proxyAuthenticationRetryCount",
    "shouldPresentAuthenticationDialog", "shouldPresentProxyAuthenticationDialog",
    "authenticationNeededBlock", "proxyAuthenticationNeededBlock", "validatesSecureCertificate",
    "clientCertificateIdentity", "clientCertificates", "sessionCredentialsStore",
    "sessionProxyCredentialsStore",
  ]

  let page: ReferencePage

  init() throws { page = try ReferencePage("Documentation/networking.md") }

  @Test("each function of CFHTTPAuthentication is a row, with a test")
  func rowsOfFunctions() throws {
    let rows = try page.rows("function")
    #expect(rows.flatMap { page.codes($0[0]) } == Self.functions)
    for row in rows { #expect(row.count == 3 && !page.codes(row[2]).isEmpty, "\(row[0])") }
  }

  @Test("each credential property of ASIHTTPRequest is a row, with a test unless nothing is there")
  func rowsOfProperties() throws {
    let rows = try page.rows("property")
    #expect(rows.flatMap { page.codes($0[0]) } == Self.properties)
    for row in rows {
      let isTested = row.count == 3 && !page.codes(row[2]).isEmpty
      #expect(isTested || row[1].hasPrefix("nothing: "), "\(row[0])")
    }
  }

  @Test(
    "each outcome in the table of Basic after Digest is a case of its test, and there are no others"
  )
  func rowsOfDowngrades() throws {
    let test = try Project.text(
      of: "Tests/Unit/HTTPAuthenticationTests/DowngradeCasesTests.swift")
    let cases = test.matches(of: /Case\(\s*"([^"]*)", \.(?:asked|unasked|earlier)/).map {
      String($0.output.1)
    }.filter { !$0.hasPrefix("over TLS") }
    let table = try #require(page.page.tables.first { $0[0][0] == "Basic finds" })
    let outcomes = table.dropFirst().flatMap { row in
      zip(table[0], row).dropFirst().filter { $0.1 != "–" }.map { "\($0.0), \(row[0])" }
    }
    #expect(outcomes.sorted() == cases.sorted())
    #expect(cases.count == 17)
  }

  @Test("every test that the page names exists")
  func tests() throws {
    try #require(page.tests.count > 40)
    #expect(try page.missingTests() == [])
  }

  @Test("its Swift lines are those of a test, byte for byte")
  func swift() throws {
    #expect(page.page.blocks.map(\.language) == ["swift", "swift", "swift"])
    #expect(
      try page.strangeSwift("Tests/Unit/HTTPAuthenticationTests/NetworkingExampleTests.swift") == []
    )
  }
}
