import CVault
import Foundation
import ProgramTesting
import TLSCredentials
import Testing

extension IdentityTests {
  /// Keys that a token keeps (SoftHSM, by the engine of libengine-pkcs11-openssl).
  ///
  /// One after the other: the engine loses keys that two threads load at once.
  @Suite("keys in tokens", .serialized)
  struct Tokens {
    @Test("a key in a token is presented like the others", arguments: ["rsa", "p256"])
    func token(kind: String) throws {
      for library in TLSClient.Library.allCases {
        let client = try TLSClient()
        let path = "/token/\(kind)/\(library)"
        let url = client.servers.url(client.servers.strict, path)
        try client.addReference(kind, to: kind, for: url)
        let reply = try client.get(url, by: library)
        #expect(reply.vault == VAULT_OK && reply.status == 200, "\(reply)")
        #expect(
          try client.servers.strict.requests(1, containing: path) == ["\(kind) TLSv1.3 \(path) 200"]
        )
      }
    }

    @Test("a key that the token does not have is an error, and nothing is presented")
    func missingKey() throws {
      let client = try TLSClient()
      let url = client.servers.url(client.servers.open, "/missing/token")
      try client.addReference("rsa", to: "nothing", for: url)
      let reply = try client.get(url, by: .openssl)
      #expect(reply.vault == VAULT_UNSUPPORTED && reply.status == 0, "\(reply)")
      let other = try client.get(url, by: .libcurl)
      #expect(other.status == 0 && other.error.hasPrefix("58 "), "\(other)")
      #expect(try client.servers.open.requests(containing: "/missing/token").isEmpty)
    }

    @Test("curl and Git use what identity run gives them: keys in memory, and keys in a token")
    func programs() throws {
      let servers = try TLSServers.shared
      let sandbox = try Sandbox()
      let environment = ["SOFTHSM2_CONF": servers.tokens, "GIT_SSL_CAINFO": servers.anchors]
      func run(_ words: String...) throws -> Sandbox.Result {
        try sandbox.run(words, environment: environment)
      }
      #expect(try run("vaultctl", "init", "-q").status == 0)
      let pin = servers.path("pin")
      #expect(
        try run("sh", "-c", "printf '1234\\n' >\(pin); printf 'secret\\n' >\(pin).p12").status == 0)
      for kind in TLSServers.kinds {
        let imported = try run(
          "vaultctl", "identity", "import", "-q", servers.path("\(kind).p12"), "-a", kind,
          "--file-passphrase-file", pin + ".p12")
        #expect(imported.status == 0, "\(imported.errors)")
        var names = [kind]
        // The engine knows RSA and elliptic curves only.
        if kind != "ed25519" {
          let referred = try run(
            "vaultctl", "identity", "import", "-q", servers.path("\(kind).pem"),
            servers.path("middle.pem"), "-a", "token-\(kind)", "--key",
            "pkcs11:token=servers;object=\(kind);type=private", "--file-passphrase-file", pin)
          #expect(referred.status == 0, "\(referred.errors)")
          names.append("token-\(kind)")
        }
        for name in names {
          let path = "/run/\(name)"
          let url = servers.url(servers.strict, path)
          let curl = try run(
            "vaultctl", "identity", "run", name, "--", "curl", "-sS", "--cacert", servers.anchors,
            "--cert", "{cert}", "--key", "{key}", url)
          #expect(curl.status == 0 && curl.output == "a page\n", "\(curl.errors)")
          // The page is not a repository; who asked for it is in the log.
          let git = try run("vaultctl", "identity", "run", name, "--", "git", "ls-remote", url)
          let lines = try servers.strict.requests(2, containing: path)
          #expect(
            lines == ["\(kind) TLSv1.3 \(path) 200", "\(kind) TLSv1.3 \(path)/info/refs 200"],
            "\(git.errors)")
        }
      }
      let shown = try run(
        "vaultctl", "identity", "run", "token-rsa", "--", "sh", "-c",
        "echo '{key}'; env | grep -c 1234")
      #expect(
        shown.output.hasPrefix(
          "pkcs11:token=servers;object=rsa;type=private?pin-source=file:/proc/self/fd/"))
      // Git has no other way to get the PIN.
      #expect(shown.lines.last == "1")
    }

    @Test("without an engine for tokens, both libraries say so")
    func noEngine() throws {
      let sandbox = try Sandbox()
      let source = sandbox.folder.appending(path: "engine.c")
      try Data(
        """
        #include <vault_tls_curl.h>
        #include <vault_tls_openssl.h>
        int main(void) {
          CURL *const curl = curl_easy_init();
          EVP_PKEY *const key = vault_tls_openssl_token_key("pkcs11:object=a", NULL);
          return key == NULL && curl_easy_setopt(curl, CURLOPT_SSLENGINE, "pkcs11") != CURLE_OK ? 0 : 1;
        }

        """.utf8
      ).write(to: source)
      let program = sandbox.folder.appending(path: "engine").path
      let include = Project.root.appending(path: "Sources/CVault/include").path
      let built = try sandbox.run(
        "gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-std=c11", "-I\(include)", source.path, "-o",
        program, "-lcurl", "-lssl", "-lcrypto")
      #expect(built.status == 0, "\(built.errors)")
      let alone = ["OPENSSL_ENGINES": sandbox.folder.path]
      #expect(try sandbox.run(program, environment: alone).status == 0)
      // With it, libcurl takes the engine: else the test would prove nothing.
      #expect(try sandbox.run(program).status == 1)
    }
  }
}
