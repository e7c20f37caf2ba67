import Foundation
import ProgramTesting
import SecureMemory
import TestTraits
import Testing
import VaultModel

@testable import VaultCommands

@Suite("CurlConfiguration", .waiting)
struct CurlConfigurationTests {
  /// A server that writes what each request is authorized with, in hexadecimal digits.
  private static let server = """
    import base64, http.server, sys
    class Handler(http.server.BaseHTTPRequestHandler):
      protocol_version = 'HTTP/1.1'
      def do_GET(self):
        scheme, value = (self.headers.get('Authorization') or ' ').split(' ', 1)
        sent = base64.b64decode(value) if scheme == 'Basic' else value.encode('latin-1')
        log.write(sent.hex() + '\\n'); log.flush()
        self.send_response(200); self.send_header('Content-Length', '0'); self.end_headers()
      def log_message(self, *arguments): pass
    log = open('seen', 'w')
    server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
    open('port.new', 'w').write(str(server.server_port))
    import os; os.rename('port.new', 'port')
    server.serve_forever()
    """

  private func item(
    _ secret: [UInt8], account: String = "ann"
  ) throws(VaultError) -> Item {
    try Item(
      server: HostName("a.example.com"), account: account, secret: Secret(copying: secret.span))
  }

  @Test("curl sends a thousand random secrets to a server exactly as they are")
  func random() throws {
    let workplace = try ProgramFixture()
    var random = SystemRandomNumberGenerator()
    var secrets = (0..<1000).map { _ in
      (0..<Int.random(in: 1...40, using: &random)).map { _ in
        UInt8.random(in: 1...255, using: &random)
      }
    }
    // The signs that mean something to curl, its configuration or a shell.
    secrets += ["\"", "\\", "\\\"", "#x", " x ", "a=b", "$(x)`", "\u{B}\t\r\n", "-K", ":", "{a,b}"]
      .map { Array($0.utf8) }
    var configuration = Data()
    for (index, secret) in secrets.enumerated() {
      if index > 0 { configuration += Data("next\n".utf8) }
      configuration += try CurlConfiguration.line(for: item(secret)).withBytes { bytes in
        Data(bytes.indices.map { bytes[$0] })
      }
      configuration += Data("url = \"http://127.0.0.1:PORT/\"\n".utf8)
    }
    try configuration.write(to: workplace.folder.appending(path: "lines"))
    try Data(Self.server.utf8).write(to: workplace.folder.appending(path: "server.py"))
    let run = try workplace.run(
      """
      python3 server.py & trap "kill $!" EXIT; until [ -s port ]; do sleep 0.05; done
      LC_ALL=C sed -i "s/:PORT/:$(cat port)/" lines; curl -sS --noproxy '*' --config lines
      """)
    #expect(run.status == 0 && run.messages.isEmpty)
    let seen = try String(
      contentsOf: workplace.folder.appending(path: "seen"), encoding: .utf8
    ).split(separator: "\n").map(String.init)
    let expected = secrets.map { secret in
      (Array("ann:".utf8) + secret).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        .joined()
    }
    // Compared without showing one: they stand for people's secrets.
    #expect(seen.count == expected.count)
    let differing = zip(seen, expected).count { $0 != $1 }
    #expect(differing == 0)
  }

  @Test("what curl cannot read is refused, and not repeated")
  func refused() throws {
    let refused: [([UInt8], String)] = [([0x41, 0], "ann"), ([0x41], "a:b"), ([0x41], "a\0b")]
    for (secret, account) in refused {
      do throws(VaultError) {
        var item = try item(secret, account: "ann")
        item.key = Item.Key(
          account: account, realm: "", server: item.key.server, protocol: item.key.protocol,
          authenticationMethod: item.key.authenticationMethod, port: 0, path: "")
        _ = try CurlConfiguration.line(for: item)
        Issue.record("taken")
      } catch {
        #expect(error.code == .invalidData && !error.text.contains("A"))
      }
    }
  }
}
