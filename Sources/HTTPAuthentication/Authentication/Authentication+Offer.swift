public import HTTPChallenge
public import VaultModel

extension Authentication {
  /// The challenges that one response offers.
  public struct Offer: Sendable {
    /// The challenges that can be answered, the strongest first.
    ///
    /// The order is SHA-512/256, SHA-256, MD5, Basic; `-sess` follows the plain algorithm of the
    /// same hash. Otherwise the server's order is kept.
    public let authentications: [Authentication]
    /// The challenges that are recognised but not answered, with ``Problem/unsupported``, in the
    /// server's order.
    public let unanswered: [Authentication]
    /// The challenges that could not be read.
    public let skipped: [SkippedChallenge]
  }

  /// Returns an authentication for each challenge of a response.
  ///
  /// - Parameters:
  ///   - response: A 401, or a 407; for a request through a tunnel, the response to its `CONNECT`.
  ///   - request: The request that was challenged.
  /// - Returns: The authentications, without duplicates.
  /// - Throws: ``VaultError/Code/invalidArgument`` unless the status is 401, or 407 and the request
  ///   has a proxy: a server that answers 407 to a direct request is after the proxy's password.
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
    // Equal algorithms are ordered by position in the list, because `sort` is not promised to be
    // stable.
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
  /// Returns whether one credential answers both: scheme, realm and algorithm are the same.
  func isSame(as other: Challenge) -> Bool {
    guard method == other.method, realm.hasSameBytes(as: other.realm) else { return false }
    if case .digest(let digest) = self, case .digest(let new) = other {
      return digest.algorithm == new.algorithm
    }
    return true
  }
}
