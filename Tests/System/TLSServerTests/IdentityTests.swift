import CVault
import Foundation
import ProgramTesting
import SecureMemory
import TLSCredentials
import TestTraits
import Testing
import VaultModel

@Suite("identities for servers that ask for a certificate", .waiting, TLSServers.Scope())
struct IdentityTests {
  /// Returns the log's lines of a path: who came, by which protocol, to what, with which status.
  private func log(_ server: HTTPServer, _ path: String, _ count: Int = 1) throws -> [String] {
    try server.requests(count, containing: path)
  }

  @Test(
    "each kind of key is presented with its chain, in each version of TLS",
    arguments: TLSServers.kinds, [12, 13])
  func kinds(kind: String, version: Int) throws {
    for library in TLSClient.Library.allCases {
      let client = try TLSClient()
      let path = "/\(kind.filter(\.isLetter))/\(version)/\(library)"
      let url = client.servers.url(client.servers.strict, path)
      // Without an identity, the server ends the connection.
      let without = try client.get(url, by: library, version: version)
      #expect(without.vault == VAULT_ITEM_NOT_FOUND && without.status == 0, "\(without)")
      try client.add(kind, for: url)
      let reply = try client.get(url, by: library, version: version)
      #expect(reply.vault == VAULT_OK && reply.status == 200, "\(reply)")
      #expect(
        try log(client.servers.strict, path) == [
          "\(kind) TLSv1.\(version - 10) \(path) 200"
        ])
    }
  }

  @Test(
    "two identities at one host: each request is who it should be, on a connection of its own",
    arguments: TLSClient.Library.allCases)
  func two(library: TLSClient.Library) throws {
    let client = try TLSClient()
    let server = client.servers.strict
    let folder = "two\(library)"
    let (one, two) = (try client.add("rsa", for: nil), try client.add("p256", for: nil))
    try client.vault.identities.setPreferred(
      one, for: client.servers.url(server, "/\(folder)/one/"))
    try client.vault.identities.setPreferred(
      two, for: client.servers.url(server, "/\(folder)/two/"))
    var connections: [Int] = []
    for path in ["one/1", "two/1", "two/2", "one/2", "one/3", "two/3"] {
      let reply = try client.get(client.servers.url(server, "/\(folder)/\(path)"), by: library)
      #expect(reply.status == 200, "\(path): \(reply)")
      connections.append(reply.connections)
    }
    let lines = try log(server, "/\(folder)/", 6)
    #expect(lines.count == 6)
    for line in lines {
      #expect(line.hasPrefix(line.contains("/one/") ? "rsa " : "p256 "), "\(line)")
    }
    // libcurl uses a connection again only for the same identity: else the log would prove nothing.
    if library == .libcurl { #expect(connections == [1, 1, 0, 0, 0, 0]) }
  }

  @Test("a redirect carries none, and the next request to the other server has none")
  func redirect() throws {
    let client = try TLSClient()
    let url = client.servers.url(client.servers.strict, "/redirect/away")
    try client.add("rsa", for: url)
    let reply = try client.get(url, by: .libcurl)
    #expect(reply.vault == VAULT_OK && reply.status == 302, "\(reply)")
    #expect(reply.location == client.servers.url(client.servers.open, "/open/found"))
    let next = try client.get(reply.location, by: .libcurl)
    #expect(next.vault == VAULT_ITEM_NOT_FOUND && next.status == 200, "\(next)")
    #expect(try log(client.servers.open, "/open/found") == ["- TLSv1.3 /open/found 200"])
    #expect(try log(client.servers.strict, "/redirect/away") == ["rsa TLSv1.3 /redirect/away 302"])
    // And so for one that is followed.
    let followed = client.follow(url)
    #expect(followed.vault == VAULT_ITEM_NOT_FOUND && followed.status == 200, "\(followed)")
    #expect(
      try log(client.servers.open, "/open/found", 2)
        == Array(repeating: "- TLSv1.3 /open/found 200", count: 2))
    #expect(
      try log(client.servers.strict, "/redirect/away", 2)
        == Array(repeating: "rsa TLSv1.3 /redirect/away 302", count: 2))
  }

  @Test("a server that accepts other authorities gets none", arguments: [12, 13])
  func foreign(version: Int) throws {
    let client = try TLSClient()
    let path = "/foreign/\(version)"
    for server in [client.servers.foreign, client.servers.open] {
      let url = client.servers.url(server, path)
      try client.add("p256", for: url)
      let reply = try client.get(url, by: .openssl, version: version)
      let isForeign = server === client.servers.foreign
      #expect(reply.status == 200 && reply.vault == (isForeign ? VAULT_ITEM_NOT_FOUND : VAULT_OK))
      #expect(
        try log(server, path) == [
          "\(isForeign ? "-" : "p256") TLSv1.\(version - 10) \(path) 200"
        ])
    }
  }

  @Test("a renewed identity is presented by the next connection, and none by a choice that fails")
  func renewal() throws {
    let client = try TLSClient()
    let server = client.servers.strict
    let url = client.servers.url(server, "/renewal/1")
    let stored = try client.add("rsa", for: url)
    for (kind, library) in [
      ("rsa", TLSClient.Library.openssl), ("p256", .openssl), ("ed25519", .libcurl),
    ] {
      try client.vault.identities.replace(stored, with: client.servers.identity(kind))
      #expect(try client.get(url, by: library).status == 200)
    }
    let lines = try log(server, "/renewal/1", 3)
    #expect(lines.map { $0.split(separator: " ")[0] } == ["rsa", "p256", "ed25519"])
    try client.vault.identities.add(
      client.servers.identity("rsa"), for: ProtectionSpace(url: url), name: "other",
      persistence: .session)
    for library in TLSClient.Library.allCases {
      let reply = try client.get(url, by: library)
      #expect(reply.vault == VAULT_AMBIGUOUS && reply.status == 0)
    }
    #expect(try log(server, "/renewal/1", 3).count == 3)
  }

  @Test("libcurl with GnuTLS, which ignores certificates in memory, is refused")
  func gnuTLS() throws {
    let sandbox = try Sandbox()
    let source = sandbox.folder.appending(path: "flavour.c")
    try Data(
      """
      #include <vault_tls_curl.h>
      #include <stdio.h>
      int main(void) { return puts(vault_tls_curl_takes_blobs() ? "takes" : "ignores") < 0; }

      """.utf8
    ).write(to: source)
    let include = Project.root.appending(path: "Sources/CVault/include").path
    for (library, expected) in [("-lcurl", "takes\n"), ("-l:libcurl-gnutls.so.4", "ignores\n")] {
      let program = sandbox.folder.appending(path: "flavour").path
      let built = try sandbox.run(
        "gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-std=c11", "-I\(include)", source.path, "-o",
        program, library)
      #expect(built.status == 0, "\(built.errors)")
      #expect(try sandbox.run(program).output == expected)
    }
  }
}
