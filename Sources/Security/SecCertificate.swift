public import FoundationEssentials
import KeychainServices
public import SecurityConstants
import TLSCredentials
import VaultModel

/// An X.509 certificate.
public final class SecCertificate: Sendable {
  let certificate: Certificate

  init(_ certificate: Certificate) {
    self.certificate = certificate
  }
}

extension SecCertificate: Hashable {
  /// Returns whether the certificates have the same bytes, as `CFEqual` does.
  public static func == (left: SecCertificate, right: SecCertificate) -> Bool {
    left.certificate == right.certificate
  }

  /// Hashes the certificate, as `CFHash` does.
  public func hash(into hasher: inout Hasher) { hasher.combine(certificate) }
}

/// Reads a certificate.
///
/// - Parameters:
///   - allocator: Ignored.
///   - data: The encoding of one certificate by DER.
/// - Returns: The certificate; nil if the data is not one.
public func SecCertificateCreateWithData(
  _ allocator: CFAllocator?, _ data: CFData
) -> SecCertificate? {
  do throws(VaultError) {
    return SecCertificate(try Certificate(der: Array(data)))
  } catch {
    return nil
  }
}

/// Returns the encoding of a certificate by DER.
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData {
  Data(certificate.certificate.der)
}

/// Returns the part of the subject that tells a person whose it is: the common name, else the
/// organizational unit or the organization, else all of it.
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
  certificate.certificate.subject.summary
}

/// The purpose that a chain has to be for.
public final class SecPolicy: Sendable {
  let policy: KeychainTrustPolicy

  init(_ policy: KeychainTrustPolicy) {
    self.policy = policy
  }
}

/// Returns a policy for a server or client of TLS.
///
/// - Parameters:
///   - server: Whether the certificate is a server's, which a client evaluates.
///   - hostname: The host that it has to be for; nil for any.
/// - Returns: The policy.
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
  SecPolicy(.ssl(isServer: server, host: hostname))
}

/// Returns a policy that requires a valid chain and nothing else.
public func SecPolicyCreateBasicX509() -> SecPolicy { SecPolicy(.basic) }

/// Returns a policy that requires that no certificate was revoked.
///
/// Nothing is fetched, so the methods have no effect: a certificate of which nothing is known is
/// accepted, unless a positive response is required. With that flag no chain satisfies the policy.
///
/// - Parameter revocationFlags: The `kSecRevocation` constants that apply.
/// - Returns: The policy; nil for 0, and for an unknown flag.
public func SecPolicyCreateRevocation(_ revocationFlags: CFOptionFlags) -> SecPolicy? {
  do throws(VaultError) {
    return SecPolicy(try KeychainTrustPolicy(revocationFlags: revocationFlags))
  } catch {
    return nil
  }
}
