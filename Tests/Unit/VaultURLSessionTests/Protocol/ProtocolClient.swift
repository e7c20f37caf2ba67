import CredentialVault
import Dispatch
import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import URLSessionTesting
import VaultModel
import VaultTransport

@testable import VaultURLSession

/// A transport with a vault in memory, and the protocol that watches what Foundation is told.
///
/// The class is that of one test at a time, because Foundation makes its objects.
struct ProtocolClient {
  let vault = Vault.inMemory()
  let configuration = URLSessionConfiguration.ephemeral

  init(prompt: any CredentialPrompt = NoPrompt()) throws {
    var settings = Transport.Configuration()
    settings.proxy = .none
    WatchedProtocol.reset(
      try Transport(
        authenticator: Authenticator(vault: vault, prompt: prompt), configuration: settings))
    configuration.protocolClasses = [WatchedProtocol.self]
  }

  /// A session without a delegate.
  var session: URLSession { URLSession(configuration: configuration) }

  func session(_ delegate: any URLSessionDelegate) -> URLSession {
    URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  /// Stores a credential for a server's realm.
  func store(_ user: String = "ann", _ password: String = "right", at server: ScriptedServer) throws
  {
    _ = try vault.set(
      Credential(user: user, secret: Secret(password), persistence: .session),
      for: ProtectionSpace(
        host: "127.0.0.1", port: server.port, protocol: .http, realm: "Team",
        authenticationMethod: .default))
  }
}

/// The protocol, with a client that notes what Foundation is told and where.
final class WatchedProtocol: VaultURLProtocol {
  /// What Foundation was told of one task.
  struct Call: Equatable {
    let task: Int
    let name: String
    let isOnQueue: Bool
  }

  private static let current = Lock<Transport?>(nil)
  private static let log = Lock<[Call]>([])
  private static let inline = Lock<[Bool]>([])

  override class var transport: Transport? { current.withLock(\.self) }

  static var calls: [Call] { log.withLock(\.self) }
  /// Whether each task that began would call its handler within a cancellation.
  static var isInline: [Bool] { inline.withLock(\.self) }

  static func reset(_ transport: Transport?) {
    current.withLock { $0 = transport }
    log.withLock { $0 = [] }
    inline.withLock { $0 = [] }
  }

  private var watched: Watch?

  override var client: (any URLProtocolClient)? {
    get { super.client.map { Watch($0, task) } }
    set { super.client = newValue }
  }

  override func startLoading() {
    super.startLoading()
    guard let task else { return }
    let field = PrivateField("_callCompletionHandlerInline", of: URLSessionTask.self)
    if let value = field?.value(in: task) as? Bool {
      Self.inline.withLock { $0.append(value) }
    }
  }

  private final class Watch: NSObject, URLProtocolClient {
    private let client: any URLProtocolClient
    private let task: Int
    private static let key = DispatchSpecificKey<Int>()

    init(_ client: any URLProtocolClient, _ task: URLSessionTask?) {
      self.client = client
      self.task = task?.taskIdentifier ?? 0
      if let task, let fields = try? FoundationFields.current.get() {
        fields.workQueue(of: task)?.setSpecific(key: Self.key, value: task.taskIdentifier)
      }
    }

    private func note(_ name: String) {
      let isOnQueue = DispatchQueue.getSpecific(key: Self.key) == task
      log.withLock { $0.append(Call(task: task, name: name, isOnQueue: isOnQueue)) }
    }

    func urlProtocol(
      _ protocol: URLProtocol, didReceive response: URLResponse,
      cacheStoragePolicy policy: URLCache.StoragePolicy
    ) {
      note("response")
      client.urlProtocol(`protocol`, didReceive: response, cacheStoragePolicy: policy)
    }

    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) {
      note("data")
      client.urlProtocol(`protocol`, didLoad: data)
    }

    func urlProtocolDidFinishLoading(_ protocol: URLProtocol) {
      note("end")
      client.urlProtocolDidFinishLoading(`protocol`)
    }

    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) {
      note("end")
      client.urlProtocol(`protocol`, didFailWithError: error)
    }

    func urlProtocol(
      _ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse
    ) { note("redirect") }

    func urlProtocol(
      _ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse
    ) { note("cache") }

    func urlProtocol(
      _ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge
    ) { note("challenge") }

    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {
      note("challenge")
    }
  }
}

/// A delegate that notes its calls, and answers as it is told.
final class WatchingDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
  struct End: Sendable {
    var pieces: [Data] = []
    var file: Data?
    var sent: [Int64] = []
    var written: [Int64] = []
    var challenges: [String] = []
    var redirects: [String] = []
    var status = 0
    var error: (any Error)?

    var text: String { pieces.reduce(Data(), +).text }
  }

  typealias Answer = (URLSession.AuthChallengeDisposition, URLCredential?)
  private let state = Lock(End())
  private let ends = AsyncStream.makeStream(of: End.self)
  private let answer: @Sendable (URLAuthenticationChallenge) -> Answer
  private let redirect: @Sendable (URLRequest) -> URLRequest?
  private let stream: @Sendable () -> InputStream?

  init(
    answer: @escaping @Sendable (URLAuthenticationChallenge) -> Answer = { _ in
      (.performDefaultHandling, nil)
    }, redirect: @escaping @Sendable (URLRequest) -> URLRequest? = { $0 },
    stream: @escaping @Sendable () -> InputStream? = { nil }
  ) {
    self.answer = answer
    self.redirect = redirect
    self.stream = stream
  }

  /// Starts a task, and waits for its end.
  func run(_ task: URLSessionTask) async -> End {
    task.resume()
    for await end in ends.stream { return end }
    return End()
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    state.withLock { $0.pieces.append(data) }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo file: URL
  ) {
    let data = try? Data(contentsOf: file)
    state.withLock { $0.file = data }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData written: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    state.withLock { $0.written.append(totalBytesWritten) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData sent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    state.withLock { $0.sent.append(totalBytesSent) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let space = challenge.protectionSpace
    state.withLock {
      $0.challenges.append("\(space.authenticationMethod) \(challenge.previousFailureCount)")
    }
    let (disposition, credential) = answer(challenge)
    completionHandler(disposition, credential)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    state.withLock { $0.redirects.append("\(response.statusCode) \(request.url?.path ?? "")") }
    completionHandler(redirect(request))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
  ) {
    completionHandler(stream())
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let end = state.withLock { state in
      state.status = task.response?.status ?? 0
      state.error = error
      return state
    }
    ends.continuation.yield(end)
  }
}
