import Foundation
import FoundationNetworking
import HTTPAuthentication
import HTTPTesting
import ProgramTesting
import TestSupport
import Testing
import URLSessionTesting
import VaultModel
import VaultURLSession

extension RealServers {
  @Suite("Bodies and files")
  struct TransferTests {
    /// A way to send a body.
    enum Upload: String, CaseIterable {
      case data, file, dataHandler, fileHandler, requestBody, requestStream
    }

    /// More than libcurl sends before the server has accepted the upload.
    static let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) })

    @Test(
      "a body is sent again after the challenge, and arrives whole",
      arguments: Engine.allCases, Upload.allCases.flatMap { [($0, "putbasic"), ($0, "putdigest")] })
    func upload(_ engine: Engine, _ way: (upload: Upload, path: String)) async throws {
      let (upload, path) = way
      let client = try Client(.use("ann", "correct horse"), over: engine)
      let file = URL(filePath: client.folder.file("body"))
      try Self.body.write(to: file)
      var request = URLRequest(url: try client.page("\(path)/1"))
      request.httpMethod = "PUT"
      let session = client.session
      let (reply, response): (Data, URLResponse)
      switch upload {
      case .data: (reply, response) = try await session.upload(for: request, from: Self.body)
      case .file: (reply, response) = try await session.upload(for: request, fromFile: file)
      case .dataHandler:
        (reply, response) = try await handled { [request] handler in
          session.uploadTask(with: request, from: Self.body, completionHandler: handler)
        }
      case .fileHandler:
        (reply, response) = try await handled { [request] handler in
          session.uploadTask(with: request, fromFile: file, completionHandler: handler)
        }
      case .requestBody:
        request.httpBody = Self.body
        (reply, response) = try await session.data(for: request)
      case .requestStream:
        request.httpBodyStream = InputStream(data: Self.body)
        (reply, response) = try await session.data(for: request)
      }
      #expect(Client.Visit(reply, response).status == 201)
      let isWhole = try client.received("1") == Self.body
      #expect(isWhole)
      #expect(client.reasons == [.done] && client.prompt.questions.count == 1)
      let name = path == "putbasic" ? "Basic" : "Digest"
      #expect(
        try client.requests(2) == [
          "- PUT /\(path)/1 401 - -", "ann PUT /\(path)/1 201 \(name) -",
        ])
    }

    /// Creates a client whose vault has the user's password for all schemes.
    func clientWithFile(_ engine: Engine) async throws -> Client {
      let client = try Client(over: engine)
      try client.store("ann", "correct horse", "Team Files")
      try client.store("ann", "correct horse", "Team Digest", .digest)
      var put = URLRequest(url: try client.page("putbasic/1"))
      put.httpMethod = "PUT"
      let (reply, response) = try await client.session.upload(for: put, from: Self.body)
      try #require(Client.Visit(reply, response).status == 201)
      return client
    }

    @Test(
      "a file that is downloaded after the challenge is whole", arguments: Engine.allCases,
      [false, true])
    func download(_ engine: Engine, withHandler: Bool) async throws {
      let client = try await clientWithFile(engine)
      let url = try client.page("putdigest/1")
      let (file, response): (URL, URLResponse)
      if withHandler {
        (file, response) = try await handled { handler in
          client.session.downloadTask(with: url, completionHandler: handler)
        }
      } else {
        (file, response) = try await client.session.download(from: url)
      }
      #expect((response as? HTTPURLResponse)?.statusCode == 200)
      let isWhole = try Data(contentsOf: file) == Self.body
      #expect(isWhole)
      try FileManager.default.removeItem(at: file)
    }

    @Test(
      "of a download that is challenged the page's file alone is left, and by Basic Foundation's",
      arguments: Engine.allCases, ["putbasic", "putdigest"])
    func temporaryFiles(_ engine: Engine, path: String) async throws {
      let client = try await clientWithFile(engine)
      let folder = client.folder.file("temporary")
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: false)
      let said = try await client.runProgram(
        ["download \(client.url("\(path)/1"))"], over: engine, environment: ["TMPDIR": folder])
      #expect(said == ["200 \(Self.body.count)"])
      let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        .map { try Data(contentsOf: URL(filePath: "\(folder)/\($0)")) }
      #expect(files.count { $0 == Self.body } == 1)
      // It contains the challenge's page, and nobody learns its name.
      #expect(files.count == (engine == .foundation && path == "putbasic" ? 2 : 1))
    }

    @Test(
      "data with a handler is what it is without, and after a login it is not asked for again",
      arguments: Engine.allCases)
    func dataHandler(_ engine: Engine) async throws {
      let client = try Client(.use("ann", "correct horse"), over: engine)
      for page in 1...2 {
        let url = try client.page("digest/\(page)")
        let (body, response) = try await handled { handler in
          client.session.dataTask(with: url, completionHandler: handler)
        }
        #expect(Client.Visit(body, response) == .page)
      }
      #expect(try client.requests(3).count == 3)
    }

    /// Runs a task, and waits for its handler.
    func handled<Payload: Sendable>(
      _ task: (@escaping @Sendable (Payload?, URLResponse?, (any Error)?) -> Void) ->
        AuthenticatedTask
    ) async throws -> (Payload, URLResponse) {
      try await withCheckedThrowingContinuation { continuation in
        let task = task { payload, response, error in
          if let payload, let response {
            continuation.resume(returning: (payload, response))
          } else {
            continuation.resume(throwing: error ?? URLError(.unknown))
          }
        }
        task.resume()
      }
    }
  }
}
