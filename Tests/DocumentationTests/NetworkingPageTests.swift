import Foundation
import ProgramTesting
import Testing

@Suite("the page on HTTP authentication")
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

  let text: String
  let page: Markdown

  init() throws {
    text = try Project.text(of: "Documentation/networking.md")
    page = Markdown(text)
  }

  /// The rows of a table without its header.
  func rows(_ title: String) throws -> [[String]] {
    let table = try #require(page.tables.first { $0[0][0] == title })
    return Array(table.dropFirst())
  }

  /// The texts in backquotes.
  func codes(_ cell: String) -> [String] {
    cell.matches(of: /`([^`]+)`/).map { String($0.1) }
  }

  @Test("each function of CFHTTPAuthentication is a row, with a test")
  func rowsOfFunctions() throws {
    let rows = try rows("function")
    #expect(rows.flatMap { codes($0[0]) } == Self.functions)
    for row in rows { #expect(row.count == 3 && !codes(row[2]).isEmpty, "\(row[0])") }
  }

  @Test("each credential property of ASIHTTPRequest is a row, with a test unless nothing is there")
  func rowsOfProperties() throws {
    let rows = try rows("property")
    #expect(rows.flatMap { codes($0[0]) } == Self.properties)
    for row in rows {
      let isTested = row.count == 3 && !codes(row[2]).isEmpty
      #expect(isTested || row[1].hasPrefix("nothing: "), "\(row[0])")
    }
  }

  @Test("every test that the page names exists")
  func tests() throws {
    let names = text.matches(of: /`([A-Za-z]+Tests)\/([A-Za-z]+)\.([A-Za-z0-9]+)`/)
    try #require(names.count > 40)
    for name in names {
      let (_, target, suite, function) = name.output
      let folder = Project.root.appending(path: "Tests/\(target)")
      let files =
        FileManager.default.enumerator(atPath: folder.path)?
        .compactMap { $0 as? String } ?? []
      let file = files.first { $0.split(separator: "/").last == "\(suite).swift" }
      let source = try file.map {
        try String(contentsOf: folder.appending(path: $0), encoding: .utf8)
      }
      #expect(source?.contains("func \(function)(") ?? false, "\(name.output.0)")
    }
  }

  @Test("its Swift lines are those of a test, byte for byte")
  func swift() throws {
    let source = try Project.text(
      of: "Tests/HTTPAuthenticationTests/NetworkingExampleTests.swift")
    #expect(page.blocks.map(\.language) == ["swift", "swift", "swift"])
    for block in page.blocks {
      let lines = block.text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.isEmpty ? "" : "    \($0)" }
      #expect(source.contains(" {\n" + lines.joined(separator: "\n") + "  }\n"), "\(block.text)")
    }
  }
}
