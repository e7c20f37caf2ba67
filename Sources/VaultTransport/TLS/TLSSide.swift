import CVaultLibssl
import SecureMemory
import TLSCredentials
import VaultModel

/// The TLS of connections to one server or proxy: who it has to be, and who one is there.
///
/// All that decides is set once, so that connections which share it are of the same parties. It is
/// in a route, and compared by identity.
final class TLSSide: Sendable {
  /// The server as handshakes have shown it.
  struct Report: Sendable {
    /// The identities that the server has asked for; nil if it never has.
    var request: IdentityRequest?
    /// Whether a handshake was ended because of that.
    var isUnanswered = false
    /// The chain that was refused last.
    var refusal: (chain: [Certificate], evaluation: TrustEvaluation)?
    /// The error of judging a chain.
    var error: VaultError?
    /// The certificate that was trusted last.
    var leaf: Certificate?
  }

  let space: ProtectionSpace
  let presentation: Peers.Choice
  private let policy: TrustPolicy
  private let knowledge: ServerKnowledge
  /// The certificates that somebody has accepted for the life of the transport.
  private let accepted: Set<Fingerprint>
  /// Whether others are trusted if the policy says so.
  private let trustsPolicy: Bool
  private let seen = Lock(Report())

  init(
    _ space: ProtectionSpace, _ policy: TrustPolicy, _ knowledge: ServerKnowledge,
    accepted: Set<Fingerprint>, trustsPolicy: Bool, _ presentation: Peers.Choice
  ) {
    self.space = space
    self.policy = policy
    self.knowledge = knowledge
    self.accepted = accepted
    self.trustsPolicy = trustsPolicy
    self.presentation = presentation
  }

  /// Returns whether connections of both would be of the same parties.
  func isAlike(_ other: TLSSide) -> Bool {
    presentation == other.presentation && accepted == other.accepted
      && trustsPolicy == other.trustsPolicy && knowledge == other.knowledge && space == other.space
  }

  /// The server as it was seen so far.
  var report: Report { seen.withLock(\.self) }

  /// The data that bind a login to the server's certificate; empty before a handshake.
  var binding: [UInt8] { report.leaf?.endPointBinding ?? [] }

  /// Judges the chain of a server.
  func judge(_ chain: [Certificate]) -> Bool {
    do throws(VaultError) {
      let evaluation = try knowledge.evaluate(chain, policy)
      guard let leaf = chain.first else { return false }
      let isTrusted =
        accepted.contains(leaf.fingerprint) || (trustsPolicy && evaluation.isTrusted)
      seen.withLock { seen in
        (seen.refusal, seen.error) = (isTrusted ? nil : (chain, evaluation), nil)
        if isTrusted { seen.leaf = leaf }
      }
      return isTrusted
    } catch {
      seen.withLock { ($0.refusal, $0.error) = (nil, error) }
      return false
    }
  }

  /// Notes that the server asks for an identity.
  func note(_ request: IdentityRequest) {
    seen.withLock { seen in
      seen.request = request
      if case .unknown = presentation { seen.isUnanswered = true }
    }
  }
}

extension TLSSide: Hashable {
  static func == (left: TLSSide, right: TLSSide) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
