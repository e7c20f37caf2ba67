import CredentialVault
import Foundation
import FoundationNetworking
import TestTraits
import Testing
import URLSessionTesting
import VaultURLSession

@Suite("What the delegate passes on", .waiting)
struct ForwardingTests {
  /// A kind of task, and the server's behaviour.
  enum RequestLoader: String, CaseIterable {
    case data, redirected, upload, download, cached

    func task(of session: URLSession, at server: ScriptedServer) -> URLSessionTask {
      let url = server.url("/\(rawValue)")
      switch self {
      case .data, .redirected, .cached: return session.dataTask(with: url)
      case .download: return session.downloadTask(with: url)
      case .upload:
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        return session.uploadTask(with: request, from: Data("body".utf8))
      }
    }
  }

  /// A kind of delegate that an app has.
  enum App: CaseIterable {
    case task, data, download

    var recorder: TaskRecorder {
      switch self {
      case .task: TaskRecorder()
      case .data: DataRecorder()
      case .download: DownloadRecorder()
      }
    }
  }

  private func server() throws -> ScriptedServer {
    try ScriptedServer { request in
      switch request.target {
      case "/redirected": .redirect(to: "/data")
      case "/cached": ScriptedResponse(200, ["Cache-Control": "max-age=60"], "cached")
      default: .text("page")
      }
    }
  }

  @Test(
    "An app's delegate is told the same as without us, whatever it has",
    arguments: RequestLoader.allCases, App.allCases)
  func same(_ load: RequestLoader, _ app: App) throws {
    let server = try server()
    var records: [[String]] = []
    for isOurs in [false, true] {
      let recorder = app.recorder
      let session = URLSession(
        configuration: .ephemeral,
        delegate: isOurs ? VaultSessionDelegate(.inMemory(), passingTo: recorder) : recorder,
        delegateQueue: nil)
      load.task(of: session, at: server).resume()
      try #require(recorder.record.wait())
      session.finishTasksAndInvalidate()
      try #require(recorder.record.wait())
      records.append(recorder.record.events)
    }
    #expect(records[0] == records[1])
    #expect(records[0].suffix(2) == ["complete 0", "invalid"])
  }

  @Test("A completion handler gets the same as without us", arguments: RequestLoader.allCases)
  func handlers(_ load: RequestLoader) async throws {
    let server = try server()
    let session = URLSession(configuration: .ephemeral, vault: .inMemory())
    let (data, response) = try await session.data(from: server.url("/\(load.rawValue)"))
    #expect(String(decoding: data, as: UTF8.self) == (load == .cached ? "cached" : "page"))
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
  }

  @Test("A download that no delegate of the app wants leaves no file behind")
  func noFile() throws {
    let server = try server()
    let recorder = TaskRecorder()
    let session = URLSession(
      configuration: .ephemeral,
      delegate: VaultSessionDelegate(.inMemory(), passingTo: recorder), delegateQueue: nil)
    let marker = "page of \(UUID())"
    let own = try ScriptedServer { _ in .text(marker) }
    session.downloadTask(with: own.url()).resume()
    try #require(recorder.record.wait())
    _ = server
    let folder = FileManager.default.temporaryDirectory
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".tmp") }
    let left = files.filter { name in
      // Other files appear and disappear meanwhile.
      (try? Data(contentsOf: folder.appending(path: name))) == Data(marker.utf8)
    }
    #expect(left.isEmpty)
  }

  @Test(
    "A session's delegate is the one around the app's, and the configuration stays the caller's")
  func initializer() {
    let configuration = URLSessionConfiguration.ephemeral
    let storage = configuration.urlCredentialStorage
    let recorder = TaskRecorder()
    let vault = Vault.inMemory()
    let session = URLSession(configuration: configuration, vault: vault, delegate: recorder)
    let delegate = session.delegate as? VaultSessionDelegate
    #expect(delegate?.vault === vault)
    #expect(delegate?.delegate === recorder)
    let own = session.configuration.urlCredentialStorage as? VaultCredentialStorage
    #expect(own?.vault === vault)
    #expect(configuration.urlCredentialStorage === storage)
  }
}
