import Foundation
import ProgramTesting
import SecureMemory
import TLSCredentials
import TestSupport
import TestTraits
import Testing

@Suite("the page on TLS", .waiting)
struct TLSPageTests {
  let page: ReferencePage

  init() throws { page = try ReferencePage("Documentation/tls.md") }

  @Test("its Swift is that of files here, byte for byte")
  func swift() throws {
    let folder = "Tests/Contract/DocumentationTests/Articles"
    let files = ["TLSIdentities", "TLSTrust"].map { "\(folder)/\($0).swift" }
      .filter { FileManager.default.fileExists(atPath: Project.root.appending(path: $0).path) }
    // A snippet that is in none of them is strange to each.
    let strange = try files.map { Set(try page.strangeSwift($0)) }
    #expect(strange.dropFirst().reduce(strange[0]) { $0.intersection($1) } == [])
  }

  @Test(
    "its C on identities compiles without a warning, as C++ too",
    arguments: [["gcc", "-std=c11"], ["clang", "-std=c11"], ["g++", "-std=c++17", "-x", "c++"]])
  func c(compiler: [String]) throws {
    let sandbox = try Sandbox()
    let source = sandbox.folder.appending(path: "page.c")
    let blocks = page.page.blocks.filter { $0.language == "c" }.map(\.text)
      .filter { !$0.contains("trust") }
    #expect(blocks.count >= 2)
    let text = ["#include <vault_tls_curl.h>\n#include <vault_tls_openssl.h>\n"] + blocks
    try Data(text.joined(separator: "\n").utf8).write(to: source)
    let include = Project.root.appending(path: "Sources/CVault/include").path
    let result = try sandbox.run(
      compiler + [
        "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-I\(include)",
        source.path,
      ])
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test("the snippets on identities store one, prefer it, present it and renew it")
  func identities() async throws {
    StateFolder.useOwn()
    let sandbox = try Sandbox()
    let made = try sandbox.run(
      "sh", "-euc",
      """
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=ann \
        -keyout key.pem -out cert.pem
      openssl pkcs12 -export -inkey key.pem -in cert.pem -passout pass:secret -out ann.p12
      openssl req -x509 -key key.pem -days 60 -subj /CN=ann -outform DER -out renewed.cer
      """)
    try #require(made.status == 0, "\(made.errors)")
    let key = sandbox.folder.appending(path: "key").path
    try KeyFile.create(at: key)
    let vault = try Vault.create(
      path: sandbox.folder.appending(path: "vault").path, key: .keyFile(key))
    let file = try Self.secret("ann.p12", in: sandbox)
    let identity = try IdentityFile(file, passphrase: Secret("secret")).identities[0]
    let space = try ProtectionSpace(
      url: "https://api.example.com", authenticationMethod: .clientCertificate)

    let article = UsingIdentities()
    let url = "https://api.example.com/"
    #expect(try await article.present(url, IdentityRequest(), from: vault) == nil)
    try await article.store(identity, for: space, in: vault)
    let stored = try #require(try vault.identities.findAll().first)
    try await article.prefer(stored, for: space, in: vault)
    let presented = try await article.present(url, IdentityRequest(), from: vault)
    #expect(presented?.certificate == identity.certificate)
    let renewed = try Self.certificate("renewed.cer", in: sandbox)
    try await article.renew(stored, renewed, [], in: vault)
    #expect(try vault.identities.item(stored.id).certificate == renewed)

    let page = TLSIdentities()
    try vault.identities.remove(stored)
    try await page.store(file, Secret("secret"), in: vault)
    let again = try #require(try vault.identities.findAll().first)
    #expect(try await page.prefer(again, in: vault).id == again.id)
    try await page.renew(again, renewed, [], in: vault)
    let configuration = try await page.configure(url, from: vault)
    #expect(configuration.leaf == renewed.der)
    let isSame = configuration.hasKey(identity.key.pkcs8)
    #expect(isSame)
    let other = try ProtectionSpace(url: "https://token.example.com")
    let referring = try await page.refer([renewed], Secret("1234"), for: other, in: vault)
    #expect(referring.keyReference == "pkcs11:token=Work;object=ann")
  }

  @Test("its C on trust is that of a program that connects to a server, line by line")
  func trust() throws {
    let program = try Project.text(of: "Tests/Contract/CInterfaceTests/Programs/openssl.c")
    func lines(_ text: String) -> [String] {
      text.split(separator: "\n").map { $0.drop { $0 == " " } }.map(String.init)
    }
    let known = Set(lines(program))
    let blocks = page.page.blocks.filter {
      $0.language == "c" && $0.text.contains("trust")
    }
    #expect(!blocks.isEmpty)
    for line in blocks.flatMap({ lines($0.text) }) { #expect(known.contains(line), "\(line)") }
  }

  @Test("each function of Apple's in the module is a row of the page on parity")
  func functions() throws {
    let sources = try ["SecCertificate", "SecTrust", "SecIdentity"].map {
      try Project.text(of: "Sources/Security/\($0).swift")
    }.joined()
    let declared = sources.matches(of: /(?m)^public func (Sec\w+)/).map { String($0.output.1) }
    #expect(declared.count > 10)
    let tables = try ReferencePage("Documentation/keychain-parity.md").page.tables
    let named = tables.joined().joined().flatMap { page.codes($0) }
    #expect(Set(declared).subtracting(named) == [])
  }

  @Test("the verdicts have Apple's numbers, in the page as in C")
  func verdicts() throws {
    let header = try Project.text(of: "Sources/CVault/include/vault_tls.h")
    let rows = try page.rows("verdict")
    #expect(rows.count >= 4)
    for row in rows {
      let name = try #require(page.codes(row[0]).first).uppercased()
      #expect(header.contains("VAULT_TRUST_\(name) = \(row[1]),"), "\(name)")
    }
  }

  private static func secret(_ name: String, in sandbox: Sandbox) throws -> Secret {
    Secret(Array(try Data(contentsOf: sandbox.home.appending(path: name))))
  }

  private static func certificate(_ name: String, in sandbox: Sandbox) throws -> Certificate {
    try Certificate(der: Array(try Data(contentsOf: sandbox.home.appending(path: name))))
  }
}

extension TLSConfiguration {
  fileprivate var leaf: [UInt8] {
    if case .certificate(let leaf)? = certificateChain.first { leaf.bytes } else { [] }
  }

  fileprivate func hasKey(_ secret: Secret) -> Bool {
    if case .privateKey(let key)? = privateKey {
      Secret(key.bytes).isEqual(to: secret)
    } else {
      false
    }
  }
}
