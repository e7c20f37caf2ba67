public import FoundationEssentials
import KeychainServices
public import SecurityConstants
import TLSCredentials
import VaultModel

/// A chain, the policies that it has to satisfy, and the results of its evaluation.
///
/// It may be used by several threads. Nothing is fetched: neither issuers that were not sent nor
/// revocation lists. Decisions that a vault has about servers do not count, because a policy of
/// Apple's names no port: use `vault.trust` of `TLSCredentials`.
public final class SecTrust: Sendable {
  let trust: KeychainTrust

  init(_ trust: KeychainTrust) {
    self.trust = trust
  }
}

/// Creates the trust in a chain.
///
/// - Parameters:
///   - certificates: A `SecCertificate`, or an array of them: the leaf first, others in any order.
///   - policies: A `SecPolicy`, or an array of them; nil for the basic one.
///   - trust: The place for the result, which is written only on success.
/// - Returns: `errSecSuccess`; `errSecParam` for anything else than certificates and policies.
@discardableResult
public func SecTrustCreateWithCertificates(
  _ certificates: Any, _ policies: Any?, _ trust: UnsafeMutablePointer<SecTrust?>
) -> OSStatus {
  guard let chain = several(certificates, of: SecCertificate.self),
    let policies = policies.map({ several($0, of: SecPolicy.self) }) ?? []
  else { return errSecParam }
  return status { () throws(VaultError) in
    let made = SecTrust(try KeychainTrust(chain.map(\.certificate), policies.map(\.policy)))
    // The place is the caller's.
    unsafe trust.pointee = made
  }
}

/// Sets the authorities, in place of the system's.
///
/// - Parameters:
///   - trust: The trust to change.
///   - anchorCertificates: An array of `SecCertificate`; nil for the system's authorities.
/// - Returns: `errSecSuccess`; `errSecParam` for an array of anything else.
@discardableResult
public func SecTrustSetAnchorCertificates(
  _ trust: SecTrust, _ anchorCertificates: CFArray?
) -> OSStatus {
  guard let anchorCertificates else {
    trust.trust.setAnchors(nil)
    return errSecSuccess
  }
  guard let anchors = anchorCertificates as? [SecCertificate] else { return errSecParam }
  trust.trust.setAnchors(anchors.map(\.certificate))
  return errSecSuccess
}

/// Sets whether the authorities that were set are the only ones, or count beside the system's.
///
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(
  _ trust: SecTrust, _ anchorCertificatesOnly: Bool
) -> OSStatus {
  trust.trust.setAnchorsOnly(anchorCertificatesOnly)
  return errSecSuccess
}

/// Sets the policies, in place of those that it has.
///
/// - Parameters:
///   - trust: The trust to change.
///   - policies: A `SecPolicy`, or an array of them.
/// - Returns: `errSecSuccess`; `errSecParam` for anything else.
@discardableResult
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: Any) -> OSStatus {
  guard let policies = several(policies, of: SecPolicy.self) else { return errSecParam }
  trust.trust.setPolicies(policies.map(\.policy))
  return errSecSuccess
}

/// Sets the time to evaluate for, which is otherwise that of the evaluation.
///
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustSetVerifyDate(_ trust: SecTrust, _ verifyDate: CFDate) -> OSStatus {
  let milliseconds = (verifyDate.timeIntervalSince1970 * 1000).rounded()
  trust.trust.setTime(
    Timestamp(milliseconds: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)))
  return errSecSuccess
}

/// Evaluates a chain.
///
/// - Parameters:
///   - trust: The trust to evaluate.
///   - error: The place for the gravest reason if the chain is not trusted; nil if nobody wants it.
/// - Returns: True if the chain is trusted.
public func SecTrustEvaluateWithError(
  _ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?
) -> Bool {
  // The place is the caller's, or nil.
  func write(_ reason: CFError?) { unsafe error?.pointee = reason }
  do throws(VaultError) {
    let found = try trust.trust.evaluate()
    guard !found.isTrusted else {
      write(nil)
      return true
    }
    write(CFError(code: Int(found.status), description: found.text))
  } catch {
    write(CFError(code: Int(error.keychainStatus), description: error.description))
  }
  return false
}

/// Evaluates a chain, and returns a status even if it is not trusted.
///
/// - Parameters:
///   - trust: The trust to evaluate.
///   - result: The place for the result.
/// - Returns: `errSecSuccess`, whatever the result; another status if there was none.
@discardableResult
public func SecTrustEvaluate(
  _ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>
) -> OSStatus {
  status { () throws(VaultError) in
    let number = try trust.trust.evaluate().verdict.keychainNumber
    // The place is the caller's.
    unsafe result.pointee = SecTrustResultType(rawValue: number) ?? .otherError
  }
}

/// Returns the result of the last evaluation, `invalid` if something was changed since.
///
/// - Parameters:
///   - trust: The trust that was evaluated.
///   - result: The place for the result.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustGetTrustResult(
  _ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>
) -> OSStatus {
  let number = trust.trust.findings?.verdict.keychainNumber ?? 0
  // The place is the caller's.
  unsafe result.pointee = SecTrustResultType(rawValue: number) ?? .otherError
  return errSecSuccess
}

/// Returns the number of certificates of ``SecTrustCopyCertificateChain(_:)``.
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> CFIndex {
  trust.trust.certificates.count
}

/// Returns one of these certificates; nil for an index that is not inside.
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ ix: CFIndex) -> SecCertificate? {
  let certificates = trust.trust.certificates
  return certificates.indices.contains(ix) ? SecCertificate(certificates[ix]) : nil
}

/// Returns the certificates of the validated path, the leaf first; before an evaluation those that
/// were given.
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? {
  trust.trust.certificates.map { SecCertificate($0) }
}

/// Returns the elements of an array, or the one value, if all have a type; else nil.
private func several<T>(_ value: Any, of type: T.Type) -> [T]? {
  if let one = value as? T { return [one] }
  return value as? [T]
}

/// Runs the body of a function and returns the status of its error.
func status(_ body: () throws(VaultError) -> Void) -> OSStatus {
  do throws(VaultError) {
    try body()
    return errSecSuccess
  } catch {
    return error.keychainStatus
  }
}
