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
      let report = side.report
      // Within the TLS of a proxy, libcurl loses why a handshake failed.
      if let error = report.error { throw error }
      if let (chain, evaluation) = report.refusal {
        return try await decide(side, chain, evaluation)
      }
      if case .tls = failure.kind, report.isUnanswered, let request = report.request {
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

  /// The way to go on after a question about a server.
  private enum Decision: Sendable {
    case goOn
    case refuse
    case cancel
  }

  private struct TrustKey: Hashable {
    let transport: Int
    let space: ProtectionSpace
    let leaf: Fingerprint
  }

  /// Asks about a server that was not trusted, once for all that wait for the same certificate.
  private func decide(
    _ side: TLSSide, _ chain: [Certificate], _ evaluation: TrustEvaluation
  ) async throws(VaultError) {
    let question = TrustQuestion(space: side.space, chain: chain, evaluation: evaluation)
    var decision = Decision.refuse
    if let prompt = transport.configuration.trustPrompt, let leaf = chain.first {
      let (transport, settings) = (transport, transport.authenticator.settings)
      let key = TrustKey(
        transport: transport.number, space: side.space, leaf: leaf.fingerprint)
      decision = try await settings.queue.reply(to: key, within: settings.answerLimit) {
        () async throws(VaultError) -> Decision? in
        // Another request's answer may count by now.
        try await transport.peers.trusts(question) ? .goOn : nil
      } ask: { () async throws(VaultError) in
        let answer = await prompt(question)
        return PromptQueue.Asked(
          reply: try await Self.take(answer, question, leaf.fingerprint, transport))
      }
    }
    switch decision {
    // The vault has another decision than the one that refused.
    case .goOn: transport.peers.forget(side.space)
    case .cancel: throw VaultError.cancelled
    case .refuse:
      throw VaultError(
        .unavailable, "transport: \(side.space.host) is not trusted: \(evaluation)",
        underlying: .errno(EKEYREJECTED))
    }
  }

  /// Does as somebody has answered.
  private static func take(
    _ answer: TrustAnswer, _ question: TrustQuestion, _ leaf: Fingerprint, _ transport: Transport
  ) async throws(VaultError) -> Decision {
    switch answer {
    case .cancel: return .cancel
    case .refuse: return .refuse
    case .evaluate where !question.evaluation.isTrusted: return .refuse
    case .evaluate, .trust: transport.peers.accept(leaf, of: question.space)
    case .remember(let persistence):
      let vault = transport.authenticator.vault
      try await vault.waiting { () throws(VaultError) in
        try vault.trust.remember(question, persistence)
      }
      // There the vault's decision does not count without the prompt's.
      if transport.configuration.asksAboutTrustedServers {
        transport.peers.accept(leaf, of: question.space)
      }
    }
    return .goOn
  }
}

extension VaultTrust {
  /// Keeps the decision to trust a server.
  fileprivate func remember(
    _ question: TrustQuestion, _ persistence: Persistence
  ) throws(VaultError) {
    let evaluation = question.evaluation
    // One that is trusted needs no decision.
    guard !evaluation.isTrusted else { return }
    if evaluation.problems.contains(.changedKey) {
      try recordFirstUse(
        evaluation, for: question.space, replacing: evaluation.knownKey, persistence: persistence)
    } else {
      try accept(evaluation, for: question.space, persistence: persistence)
    }
  }
}
