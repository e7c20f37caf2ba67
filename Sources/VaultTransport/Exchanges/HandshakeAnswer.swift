import Glibc
import HTTPAuthentication
import SecureMemory
import TLSCredentials
import VaultModel

/// The answer to what a handshake has shown, between two attempts: nothing in a handshake may wait.
struct HandshakeAnswer {
  private let transport: Transport
  private let target: RequestTarget
  private let route: Route

  init(_ transport: Transport, _ target: RequestTarget, _ route: Route) {
    self.transport = transport
    self.target = target
    self.route = route
  }

  /// Finds the answer, after which the request is made again.
  ///
  /// - Throws: The failure if there is nothing to answer, or the answer is to refuse.
  func answer(_ failure: TransferFailure) async throws {
    // The proxy's handshake comes first.
    for side in [route.proxy?.side, route.side].compactMap(\.self) {
      let report = side.takeReport()
      if let error = report.error { throw error }
      if let (chain, evaluation) = report.refusal {
        return try await decide(side, chain, evaluation)
      }
      if report.isUnanswered, let request = report.request {
        return transport.peers.note(request, of: side.space)
      }
    }
    throw refused(failure)
  }

  /// Returns the error of a server that ends the connection because of an identity.
  private func refused(_ failure: TransferFailure) -> any Error {
    guard let side = route.side, side.report.request != nil,
      let error = failure.error as? VaultError
    else { return failure.error }
    let isMissing = side.presentation == .nothing
    return VaultError(
      .unavailable,
      isMissing
        ? "\(error.context); the server requires a certificate, and the vault has none for it"
        : "\(error.context); the server has been presented a certificate",
      underlying: .errno(isMissing ? ENOKEY : EACCES))
  }

  /// Asks about a server that was not trusted.
  private func decide(
    _ side: TLSSide, _ chain: [Certificate], _ evaluation: TrustEvaluation
  ) async throws {
    let question = TrustQuestion(space: side.space, chain: chain, evaluation: evaluation)
    switch try await ask(question) {
    case .cancel: throw VaultError.cancelled
    case .trust:
      guard let leaf = chain.first else { break }
      return transport.peers.accept(leaf.fingerprint, of: side.space)
    case .remember(let persistence):
      return try await remember(evaluation, of: side.space, persistence)
    case .evaluate:
      guard evaluation.isTrusted, let leaf = chain.first else { break }
      return transport.peers.accept(leaf.fingerprint, of: side.space)
    case .refuse: break
    }
    throw VaultError(
      .unavailable, "transport: \(side.space.host) is not trusted: \(evaluation)",
      underlying: .errno(EKEYREJECTED))
  }

  private struct TrustKey: Hashable {
    let transport: Int
    let space: ProtectionSpace
    let leaf: Fingerprint?
  }

  /// Asks the prompt, once for all that wait for the same certificate.
  private func ask(_ question: TrustQuestion) async throws(VaultError) -> TrustAnswer {
    guard let prompt = transport.configuration.trustPrompt else { return .refuse }
    let settings = transport.authenticator.settings
    let key = TrustKey(
      transport: transport.number, space: question.space, leaf: question.chain.first?.fingerprint)
    return try await settings.queue.reply(to: key, within: settings.answerLimit) {
      () async throws(VaultError) -> TrustAnswer? in
      nil
    } ask: { () async throws(VaultError) in
      PromptQueue.Asked(reply: await prompt(question))
    }
  }

  private func remember(
    _ evaluation: TrustEvaluation, of space: ProtectionSpace, _ persistence: Persistence
  ) async throws(VaultError) {
    let vault = transport.authenticator.vault
    _ = try await vault.waiting { () throws(VaultError) in
      if evaluation.problems.contains(.changedKey) {
        try vault.trust.recordFirstUse(
          evaluation, for: space, replacing: evaluation.knownKey, persistence: persistence)
      } else {
        try vault.trust.accept(evaluation, for: space, persistence: persistence)
      }
    }
    transport.peers.forget(space)
  }
}
