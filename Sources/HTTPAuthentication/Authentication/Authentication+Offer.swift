public import HTTPChallenge
public import VaultModel

extension Authentication {
  /// All that one response offers.
  public struct Offer: Sendable {
    /// What can be answered, the strongest first.
    ///
    /// SHA-512/256 before SHA-256 before MD5 before Basic; `-sess` after the plain one of the same hash; otherwise in the
    /// server's order.
    public let authentications: [Authentication]
    /// What is recognised and not answered here, with ``Problem/unsupported``, in the server's order.
    public let unanswered: [Authentication]
    /// What could not be read.
    public let skipped: [SkippedChallenge]
  }

  /// Takes up all challenges of a response.
  ///
  /// - Parameters:
  ///   - response: A 401, or a 407; for a request through a tunnel, the response to its `CONNECT`.
  ///   - request: What it is the response to.
  /// - Returns: An authentication for each challenge, none twice.
  /// - Throws: ``VaultError/Code/invalidArgument`` unless the status is 401, or 407 and the request has a proxy: whoever
  ///   answers 407 to a direct request is after the proxy's password.
  public static func offered(
    by response: ResponseHead, to request: RequestHead
  ) throws(VaultError) -> Offer {
    let challenger = try Challenger(response, to: request)
    return Offer(ChallengeList(response.values(of: challenger.challengeField)), by: challenger)
  }
}

extension Authentication.Offer {
  init(_ list: ChallengeList, by challenger: Challenger) {
    var digests: [(algorithm: DigestAlgorithm, authentication: Authentication)] = []
    var basics: [Authentication] = []
    var unanswered: [Authentication] = []
    var skipped = list.skipped
    for challenge in list.challenges {
      do throws(VaultError) {
        let authentication = try Authentication(challenge, by: challenger)
        let all = digests.map(\.authentication) + basics + unanswered
        guard !all.contains(where: { $0.isOfSameChallenge(as: authentication) }) else { continue }
        switch challenge {
        case .digest(let digest): digests.append((digest.algorithm, authentication))
        case .basic: basics.append(authentication)
        case .unanswered: unanswered.append(authentication)
        }
      } catch {
        skipped.append(SkippedChallenge(scheme: challenge.method.rawValue, reason: error.context))
      }
    }
    // By place in the list where the algorithm is the same, because `sort` is not promised to be stable.
    let strongestFirst = digests.enumerated().sorted { left, right in
      left.element.algorithm == right.element.algorithm
        ? left.offset < right.offset : left.element.algorithm > right.element.algorithm
    }
    authentications = strongestFirst.map(\.element.authentication) + basics
    self.unanswered = unanswered
    self.skipped = skipped
  }
}

extension Challenge {
  /// Whether a credential answers both alike: scheme, realm and algorithm are the same.
  func isSame(as other: Challenge) -> Bool {
    guard method == other.method, realm.hasSameBytes(as: other.realm) else { return false }
    if case .digest(let digest) = self, case .digest(let new) = other {
      return digest.algorithm == new.algorithm
    }
    return true
  }
}
