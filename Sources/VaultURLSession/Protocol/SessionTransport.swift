import CredentialVault
import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import TLSCredentials
import VaultModel
import VaultTransport

/// The transport of one session: connections of its own, and questions for its delegate.
final class SessionTransport: Sendable {
  /// The transport that it was made of.
  private let base: Transport
  /// The session's own.
  let transport: Transport
  /// The requests that are on their way, of whose delegates one is asked about their server.
  private let running: RunningRequests

  /// The key by which sessions share a transport.
  private struct Key: Hashable {
    let session: ObjectIdentifier
    let base: ObjectIdentifier
    /// Whether a delegate judges servers, also those that are trusted.
    let asks: Bool
  }

  private struct Entry {
    weak var session: URLSession?
    let transport: SessionTransport
  }

  /// Those of the process's sessions: a session has no place to keep one.
  private static let all = Lock<[Key: Entry]>([:])

  /// Returns the transport for a task, made for the first one of a session.
  static func of(_ delivery: TaskDelivery, over base: Transport) -> SessionTransport {
    let session = delivery.session
    let key = Key(
      session: ObjectIdentifier(session), base: ObjectIdentifier(base),
      asks: delivery.delegate != nil)
    return all.withLock { all in
      if let entry = all[key], entry.session === session { return entry.transport }
      all = all.filter { $0.value.session != nil }
      let made = SessionTransport(base, session.configuration, asks: key.asks)
      all[key] = Entry(session: session, transport: made)
      return made
    }
  }

  private init(_ base: Transport, _ settings: URLSessionConfiguration, asks: Bool) {
    self.base = base
    let running = RunningRequests(base.configuration)
    self.running = running
    var configuration = base.configuration
    configuration.mostConnections = max(1, settings.httpMaximumConnectionsPerHost)
    if asks {
      configuration.asksAboutTrustedServers = true
      configuration.trustPrompt = { await running.answer($0) }
      configuration.identityPrompt = { try await running.answer($0) }
    }
    transport = base.with(configuration)
  }

  /// Notes a request whose delegate can be asked, until it ends.
  func begin(_ questions: TaskQuestions) { running.add(questions) }

  func end(_ questions: TaskQuestions) { running.remove(questions) }
}

extension Transport {
  /// Returns a transport of the same authenticator with other settings.
  fileprivate func with(_ configuration: Configuration) -> Transport {
    do throws(VaultError) {
      return try Transport(authenticator: authenticator, configuration: configuration)
    } catch {
      // unreachable: libcurl was there when this one was made.
      return self
    }
  }
}

/// The requests of a session that are on their way.
final class RunningRequests: Sendable {
  private let requests = Lock<[TaskQuestions]>([])
  private let base: Transport.Configuration

  init(_ base: Transport.Configuration) {
    self.base = base
  }

  func add(_ questions: TaskQuestions) { requests.withLock { $0.append(questions) } }

  func remove(_ questions: TaskQuestions) {
    requests.withLock { $0.removeAll { $0 === questions } }
  }

  /// Returns a request to a server; to any if it is a proxy.
  private func request(to space: ProtectionSpace) -> TaskQuestions? {
    requests.withLock { requests in requests.first { space.isProxy || $0.isFor(space) } }
  }

  /// Asks a delegate about a server.
  ///
  /// Without an answer the base's prompt is asked about a server that is not trusted.
  func answer(_ question: TrustQuestion) async -> TrustAnswer {
    guard let request = request(to: question.space) else { return .refuse }
    if let answer = await request.answer(question, base) { return answer }
    guard !question.evaluation.isTrusted || base.asksAboutTrustedServers,
      let prompt = base.trustPrompt
    else { return .evaluate }
    return await prompt(question)
  }

  /// Asks a delegate for an identity; without an answer the base's prompt, or the vault.
  func answer(_ question: IdentityQuestion) async throws -> IdentityAnswer {
    if let request = request(to: question.space), let answer = try await request.answer(question) {
      return answer
    }
    return try await base.identityPrompt?(question) ?? .useStored
  }
}
