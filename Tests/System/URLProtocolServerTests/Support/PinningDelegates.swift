import Foundation
import FoundationNetworking
import SecureMemory
import URLSessionSecurity

// Delegates as pinning libraries for Apple's systems have them, written from what their
// documentation says: nothing in them is for Linux.

/// The security policy of AFNetworking, and the challenges of its session manager.
final class AFNetworkingLikeDelegate: NSObject, URLSessionDelegate, URLSessionTaskDelegate {
  enum PinningMode: Sendable { case none, certificate }

  let mode: PinningMode
  let pinnedCertificates: Set<Data>
  let allowInvalidCertificates: Bool
  let validatesDomainName: Bool

  init(
    _ mode: PinningMode, _ pinned: Set<Data> = [], allowInvalidCertificates: Bool = false,
    validatesDomainName: Bool = true
  ) {
    self.mode = mode
    pinnedCertificates = pinned
    self.allowInvalidCertificates = allowInvalidCertificates
    self.validatesDomainName = validatesDomainName
  }

  func evaluateServerTrust(_ serverTrust: SecTrust, forDomain domain: String?) -> Bool {
    if domain != nil, allowInvalidCertificates, validatesDomainName,
      mode == .none || pinnedCertificates.isEmpty
    {
      return false
    }
    let policies =
      validatesDomainName
      ? [SecPolicyCreateSSL(true, domain as CFString?)] : [SecPolicyCreateBasicX509()]
    SecTrustSetPolicies(serverTrust, policies as CFArray)
    switch mode {
    case .none: return allowInvalidCertificates || isValid(serverTrust)
    case .certificate:
      guard allowInvalidCertificates || isValid(serverTrust) else { return false }
      let pinned = pinnedCertificates.compactMap {
        SecCertificateCreateWithData(nil, $0 as CFData)
      }
      SecTrustSetAnchorCertificates(serverTrust, pinned as CFArray)
      guard isValid(serverTrust) else { return false }
      let chain = SecTrustCopyCertificateChain(serverTrust) as? [SecCertificate] ?? []
      return chain.contains { pinnedCertificates.contains(SecCertificateCopyData($0) as Data) }
    }
  }

  private func isValid(_ trust: SecTrust) -> Bool {
    var result = SecTrustResultType.invalid
    guard unsafe SecTrustEvaluate(trust, &result) == errSecSuccess else { return false }
    return result == .unspecified || result == .proceed
  }

  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    var disposition = URLSession.AuthChallengeDisposition.performDefaultHandling
    var credential: URLCredential?
    if challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust,
      let serverTrust = challenge.protectionSpace.serverTrust
    {
      if evaluateServerTrust(serverTrust, forDomain: challenge.protectionSpace.host) {
        disposition = .useCredential
        credential = URLCredential(trust: serverTrust)
      } else {
        disposition = .cancelAuthenticationChallenge
      }
    }
    completionHandler(disposition, credential)
  }
}

/// What evaluates a server in Alamofire.
protocol ServerTrustEvaluating: Sendable {
  func evaluate(_ trust: SecTrust, forHost host: String) throws
}

enum ServerTrustFailure: Error {
  case noRequiredEvaluator, noCertificatesFound, noPublicKeysFound, evaluationFailed
  case certificatePinningFailed, publicKeyPinningFailed
}

struct DefaultTrustEvaluator: ServerTrustEvaluating {
  func evaluate(_ trust: SecTrust, forHost host: String) throws {
    SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, host as CFString))
    guard SecTrustEvaluateWithError(trust, nil) else {
      throw ServerTrustFailure.evaluationFailed
    }
  }
}

struct PinnedCertificatesTrustEvaluator: ServerTrustEvaluating {
  let certificates: [SecCertificate]
  var acceptSelfSignedCertificates = false
  var performDefaultValidation = true
  var validateHost = true

  func evaluate(_ trust: SecTrust, forHost host: String) throws {
    guard !certificates.isEmpty else { throw ServerTrustFailure.noCertificatesFound }
    if acceptSelfSignedCertificates {
      SecTrustSetAnchorCertificates(trust, certificates as CFArray)
      SecTrustSetAnchorCertificatesOnly(trust, true)
    }
    if performDefaultValidation {
      SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, nil))
      try evaluate(trust)
    }
    if validateHost {
      SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, host as CFString))
      try evaluate(trust)
    }
    let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? []
    let sent = Set(chain.map { SecCertificateCopyData($0) as Data })
    let pinned = Set(certificates.map { SecCertificateCopyData($0) as Data })
    guard !sent.isDisjoint(with: pinned) else {
      throw ServerTrustFailure.certificatePinningFailed
    }
  }

  private func evaluate(_ trust: SecTrust) throws {
    var error: CFError?
    guard unsafe SecTrustEvaluateWithError(trust, &error) else {
      throw ServerTrustFailure.evaluationFailed
    }
  }
}

struct PublicKeysTrustEvaluator: ServerTrustEvaluating {
  let keys: [SecKey]
  var performDefaultValidation = true
  var validateHost = true

  func evaluate(_ trust: SecTrust, forHost host: String) throws {
    guard !keys.isEmpty else { throw ServerTrustFailure.noPublicKeysFound }
    for isMeant in [performDefaultValidation, validateHost] where isMeant {
      try DefaultTrustEvaluator().evaluate(trust, forHost: host)
    }
    let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? []
    guard chain.compactMap(publicKey).contains(where: keys.contains) else {
      throw ServerTrustFailure.publicKeyPinningFailed
    }
  }
}

/// Returns a certificate's key as Alamofire does: by a trust of this one alone.
func publicKey(of certificate: SecCertificate) -> SecKey? {
  var trust: SecTrust?
  let status = unsafe SecTrustCreateWithCertificates(
    certificate, SecPolicyCreateBasicX509(), &trust)
  guard let trust, status == errSecSuccess else { return nil }
  return SecTrustCopyKey(trust)
}

/// The manager of Alamofire, and the challenges of its session delegate.
final class AlamofireLikeDelegate: NSObject, URLSessionTaskDelegate {
  let allHostsMustBeEvaluated: Bool
  let evaluators: [String: any ServerTrustEvaluating]
  private let failure = Lock<(any Error)?>(nil)

  /// The error that Alamofire shows in place of the cancellation.
  var error: (any Error)? { failure.withLock(\.self) }

  init(
    allHostsMustBeEvaluated: Bool = true, _ evaluators: [String: any ServerTrustEvaluating]
  ) {
    self.allHostsMustBeEvaluated = allHostsMustBeEvaluated
    self.evaluators = evaluators
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust,
      let trust = challenge.protectionSpace.serverTrust
    else { return completionHandler(.performDefaultHandling, nil) }
    let host = challenge.protectionSpace.host
    do {
      guard let evaluator = evaluators[host] else {
        guard allHostsMustBeEvaluated else {
          return completionHandler(.performDefaultHandling, nil)
        }
        throw ServerTrustFailure.noRequiredEvaluator
      }
      try evaluator.evaluate(trust, forHost: host)
      completionHandler(.useCredential, URLCredential(trust: trust))
    } catch {
      failure.withLock { $0 = error }
      completionHandler(.cancelAuthenticationChallenge, nil)
    }
  }
}

/// A delegate of an app that decides for itself.
final class DecidingDelegate: NSObject, URLSessionDelegate {
  typealias Answer = (URLSession.AuthChallengeDisposition, URLCredential?)
  private let decide: @Sendable (URLAuthenticationChallenge) -> Answer?
  private let methods = Lock<[String]>([])

  /// The methods of the challenges so far.
  var asked: [String] { methods.withLock(\.self) }

  /// Creates a delegate; one that decides nil answers by the sender.
  init(_ decide: @escaping @Sendable (URLAuthenticationChallenge) -> Answer?) {
    self.decide = decide
  }

  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let method = challenge.protectionSpace.authenticationMethod
    methods.withLock { $0.append(method) }
    if let (disposition, credential) = decide(challenge) {
      completionHandler(disposition, credential)
    }
  }
}
