import CredentialVault
import Glibc
import HTTPAuthentication
import SecureMemory
import TLSCredentials
import VaultModel

/// The servers and proxies with TLS that a transport speaks to: what is known about each, and the
/// sides of its connections.
///
/// The vault is read again a second later, so that a new decision or a renewed identity counts for
/// the next request, and a hundred requests a second do not read it a hundred times.
final class Peers: Sendable {
  /// The knowledge of one server, from one reading of the vault.
  private struct Record {
    var knowledge: ServerKnowledge
    /// The identities to present, by the path of the request.
    var choices: [String: Choice] = [:]
    var readAt: UInt64
  }

  /// The answer to a server that asks for an identity.
  enum Choice: Sendable, Equatable {
    case nothing
    /// It is chosen when it is known what the server accepts.
    case unknown
    case identity(PresentedIdentity)
  }

  /// The parts that do not change when the vault is read again.
  private struct Memory {
    var record: Record?
    /// The identities that the server accepts, once it has said so.
    var request: IdentityRequest?
    /// The certificates that somebody has accepted for the life of the transport.
    var accepted: Set<Fingerprint> = []
    /// The identities that are open, so that nobody is asked for a PIN again.
    var open: [Fingerprint: PresentedIdentity] = [:]
    var sides: [TLSSide] = []
    /// Counts what was learned or decided: a record from before is out of date.
    var lessons = 0
  }

  /// The time in milliseconds for which the vault is not read again.
  private static let freshness: UInt64 = 1000
  /// The sides of one server that are kept; others have no use for long.
  private static let mostSides = 16

  private let authenticator: Authenticator
  private let configuration: Transport.Configuration
  private let memories = Lock<[ProtectionSpace: Memory]>([:])

  init(_ authenticator: Authenticator, _ configuration: Transport.Configuration) {
    self.authenticator = authenticator
    self.configuration = configuration
  }

  // MARK: Sides

  /// Returns the side of connections to a server for a request.
  ///
  /// - Throws: The errors of reading the vault; those of choosing an identity for what the server
  ///   is known to accept; those of opening it.
  func side(
    of space: ProtectionSpace, for url: RequestURL, _ options: RequestOptions
  ) async throws -> TLSSide {
    let path = space.isProxy ? "" : String(url.target.prefix { $0 != "?" })
    let memory = memories.withLock { $0[space] ?? Memory() }
    if let record = memory.record, let choice = record.choices[path],
      Clock.now() - record.readAt < Self.freshness
    {
      return side(of: space, record.knowledge, choice)
    }
    var knowledge: ServerKnowledge
    if let record = memory.record, Clock.now() - record.readAt < Self.freshness {
      knowledge = record.knowledge
    } else {
      knowledge = try await read(space, options)
    }
    let choice = try await choose(for: space, url, memory.request, options)
    memories.withLock { memories in
      // A reading from before somebody decided would refuse the server for another second.
      guard memories[space, default: Memory()].lessons == memory.lessons else { return }
      var record =
        memories[space, default: Memory()].record
        ?? Record(knowledge: knowledge, readAt: Clock.now())
      if Clock.now() - record.readAt >= Self.freshness {
        record = Record(knowledge: knowledge, readAt: Clock.now())
      }
      record.choices[path] = choice
      memories[space, default: Memory()].record = record
    }
    return side(of: space, knowledge, choice)
  }

  /// Returns the side that has these properties, so that its connections are used again.
  private func side(
    of space: ProtectionSpace, _ knowledge: ServerKnowledge, _ choice: Choice
  ) -> TLSSide {
    memories.withLock { memories in
      var memory = memories[space, default: Memory()]
      defer { memories[space] = memory }
      let side = TLSSide(
        space, policy(for: space), knowledge, accepted: memory.accepted,
        trustsPolicy: trustsPolicyAlone, choice)
      if let index = memory.sides.firstIndex(where: { $0.isAlike(side) }) {
        return memory.sides[index]
      }
      if memory.sides.count == Self.mostSides { memory.sides.removeFirst() }
      memory.sides.append(side)
      return side
    }
  }

  private func policy(for space: ProtectionSpace) -> TrustPolicy {
    space.isProxy ? configuration.proxyTrustPolicy : configuration.trustPolicy
  }

  /// Whether nobody is asked about a server that the policy trusts.
  private var trustsPolicyAlone: Bool {
    !configuration.asksAboutTrustedServers || configuration.trustPrompt == nil
  }

  private func read(
    _ space: ProtectionSpace, _ options: RequestOptions
  ) async throws(VaultError) -> ServerKnowledge {
    let vaults = authenticator.vaults.vaults
    let first = authenticator.vault
    return try await authenticator.unlocked(for: options) { () throws(VaultError) in
      var knowledge = try first.trust.knowledge(of: space)
      for vault in vaults where vault !== first {
        knowledge.add(try vault.trust.knowledge(of: space))
      }
      return knowledge
    }
  }

  // MARK: Identities

  /// Chooses the identity for a server; what it accepts is nil if it never asked.
  private func choose(
    for space: ProtectionSpace, _ url: RequestURL, _ request: IdentityRequest?,
    _ options: RequestOptions
  ) async throws -> Choice {
    guard let request else {
      // A server that nobody could answer need not be asked what it accepts.
      if configuration.identityPrompt != nil { return .unknown }
      return try await hasIdentity(for: space, url, options) ? .unknown : .nothing
    }
    if let prompt = configuration.identityPrompt {
      switch try await prompt(IdentityQuestion(space: space, url: url, request: request)) {
      case .use(let identity): return .identity(try presented(identity, space))
      case .goOnWithout: return .nothing
      case .useStored: break
      }
    }
    return try await stored(for: space, url, request, options)
  }

  /// Returns whether the vault has an identity for a server, whatever the server accepts.
  private func hasIdentity(
    for space: ProtectionSpace, _ url: RequestURL, _ options: RequestOptions
  ) async throws(VaultError) -> Bool {
    let vaults = authenticator.vaults.vaults
    return try await authenticator.unlocked(for: options) { () throws(VaultError) in
      for vault in vaults {
        do throws(VaultError) {
          _ = try vault.identities.choose(for: Self.text(of: space, url))
          return true
        } catch {
          // Which of several, it decides who knows what the server accepts.
          if error.code == .ambiguous || error.code == .expired { return true }
          guard error.code == .itemNotFound else { throw error }
        }
      }
      return false
    }
  }

  private func stored(
    for space: ProtectionSpace, _ url: RequestURL, _ request: IdentityRequest,
    _ options: RequestOptions
  ) async throws -> Choice {
    let vaults = authenticator.vaults.vaults
    let found = try await authenticator.unlocked(for: options) {
      () throws(VaultError) -> (Vault, StoredIdentity)? in
      for vault in vaults {
        do throws(VaultError) {
          return (vault, try vault.identities.choose(for: Self.text(of: space, url), request))
        } catch {
          guard error.code == .itemNotFound else { throw error }
        }
      }
      return nil
    }
    guard let (vault, stored) = found else { return .nothing }
    let known = memories.withLock { $0[space]?.open[stored.certificate.fingerprint] }
    if let known { return .identity(known) }
    do throws(VaultError) {
      let identity = try await vault.waiting { () throws(VaultError) in
        try vault.identities.open(stored)
      }
      return .identity(try presented(identity, space))
    } catch {
      guard error.code == .pinRequired else { throw error }
    }
    let item = try await vault.waiting { () throws(VaultError) in
      try vault.item(stored.id, withSecrets: true)
    }
    guard let opened = try await authenticator.opened(item, in: vault, for: space),
      let secret = opened.secret
    else { return .nothing }
    return .identity(try presented(VaultIdentities.identity(of: opened, secret), space))
  }

  private func presented(
    _ identity: Identity, _ space: ProtectionSpace
  ) throws(VaultError) -> PresentedIdentity {
    let fingerprint = identity.certificate.fingerprint
    if let known = memories.withLock({ $0[space]?.open[fingerprint] }) { return known }
    let presented = try PresentedIdentity(identity)
    memories.withLock { $0[space, default: Memory()].open[fingerprint] = presented }
    return presented
  }

  /// Returns the URL for which an identity is chosen: of a proxy, only its own address.
  private static func text(of space: ProtectionSpace, _ url: RequestURL) -> String {
    space.isProxy ? "https://\(space.host.urlText):\(space.port)/" : url.withoutUserInfo.description
  }
}

/// Lessons of handshakes.
extension Peers {
  /// Notes what a server accepts, so that the next request presents an identity.
  func note(_ request: IdentityRequest, of space: ProtectionSpace) {
    memories.withLock { memories in
      memories[space, default: Memory()].request = request
      memories[space, default: Memory()].record?.choices = [:]
      memories[space, default: Memory()].lessons += 1
    }
  }

  /// Accepts a certificate for the life of the transport.
  func accept(_ leaf: Fingerprint, of space: ProtectionSpace) {
    memories.withLock { _ = $0[space, default: Memory()].accepted.insert(leaf) }
  }

  /// Returns whether a server is trusted by now, by another request's answer.
  func trusts(_ question: TrustQuestion) async throws(VaultError) -> Bool {
    let leaf = question.chain.first?.fingerprint
    let isAccepted = memories.withLock { memories in
      leaf.map { memories[question.space]?.accepted.contains($0) ?? false } ?? false
    }
    if isAccepted || trustsPolicyAlone == false { return isAccepted }
    let knowledge = try await read(question.space, RequestOptions())
    return try knowledge.evaluate(question.chain, policy(for: question.space)).isTrusted
  }

  /// Reads the vault's decisions again before the next request.
  func forget(_ space: ProtectionSpace) {
    memories.withLock { memories in
      memories[space]?.record = nil
      memories[space]?.lessons += 1
    }
  }
}
