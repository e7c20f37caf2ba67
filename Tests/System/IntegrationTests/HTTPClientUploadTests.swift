import Foundation
import ProgramTesting
import TestTraits
import Testing

@Suite("Examples/HTTPClient with a body", .waiting)
struct HTTPClientUploadTests {
  /// More than libcurl sends before the server has accepted the upload.
  private static let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })

  let client: HTTPClient
  let server: HTTPServer
  private let file: URL

  init() throws {
    client = try HTTPClient()
    let folder = client.sandbox.folder
    for name in ["put", "pages"] {
      try FileManager.default.createDirectory(
        at: folder.appending(path: "uploads/\(name)"), withIntermediateDirectories: true)
    }
    server = try HTTPServer(
      "challenges", in: client.sandbox, name: "uploads",
      values: ["ELSEWHERE": "http://127.0.0.1:1"], users: ["ann": "correct horse"])
    file = folder.appending(path: "body")
    try Self.body.write(to: file)
  }

  private func url(_ path: String) -> String { "http://127.0.0.1:\(server.port)/\(path)" }

  private func received(_ name: String) throws -> Bool {
    try Data(contentsOf: server.folder.appending(path: "put/\(name)")) == Self.body
  }

  @Test("it is sent again after a challenge, and arrives whole", arguments: ["Basic", "Digest"])
  func challenged(scheme: String) throws {
    let path = "put\(scheme.lowercased())/one/file"
    let run = try client.get(
      "-T", file.path, url(path), typing: HTTPClient.login("ann", "correct horse"))
    #expect(run.status == 0 && run.errors == "")
    #expect(try received("one-file"))
    #expect(
      try server.requests(2) == ["- PUT /\(path) 401 - -", "ann PUT /\(path) 201 \(scheme) -"])
  }

  private static let add =
    "vaultctl add -q -r http -s 127.0.0.1 -d 'Team Files' -a ann --password-stdin -P"

  @Test("one that can be read once only waits until the server wants it")
  func pipe() throws {
    let run = try client.sandbox.run(
      "sh", "-c",
      """
      printf %s 'correct horse' | \(Self.add) \(server.port)
      cat \(file.path) | \(client.program) -T - \(url("putbasic/one/pipe"))
      """)
    #expect(run.status == 0 && run.errors == "", "\(run.errors)")
    #expect(try received("one-pipe"))
  }

  /// A server that reads the body before it asks who sends it.
  private static let hasty = """
    import http.server, os
    class Handler(http.server.BaseHTTPRequestHandler):
      protocol_version = 'HTTP/1.1'
      def do_PUT(self):
        print('asked', flush=True)
        while (size := int(self.rfile.readline(), 16)) > 0:
          self.rfile.read(size + 2)
        self.rfile.readline()
        self.send_response(401); self.send_header('WWW-Authenticate', 'Basic realm="Team Files"')
        self.send_header('Content-Length', '0'); self.end_headers()
      def log_message(self, *arguments): pass
    server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
    open('port.new', 'w').write(str(server.server_port))
    os.rename('port.new', 'port')
    server.serve_forever()
    """

  @Test("one that was read already cannot be sent again: an error, and no second request")
  func readPipe() throws {
    let folder = client.sandbox.folder.path
    try Data(Self.hasty.utf8).write(to: client.sandbox.folder.appending(path: "hasty.py"))
    let run = try client.sandbox.run(
      "sh", "-c",
      """
      cd \(folder); python3 hasty.py & trap "kill $!" EXIT; until [ -s port ]; do sleep 0.05; done
      printf %s 'correct horse' | \(Self.add) "$(cat port)"
      cat \(file.path) | \(client.program) -T - "http://127.0.0.1:$(cat port)/file"
      """)
    #expect(run.output == "asked\n")
    #expect(run.errors.contains("rewind"), "\(run.errors)")
  }
}
