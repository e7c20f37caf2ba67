import Glibc
import SecureMemory
import VaultModel

/// The certificates of the items that were read last.
///
/// Reading one takes libcrypto a tenth of a millisecond, many times a lookup, and a service opens
/// the same identity for each connection. Certificates are not secret, and nothing here says in
/// which vault they were. A class, because copying a certificate counts a dozen owners.
final class KnownCertificates: Sendable {
  /// The encoding: one after the other.
  let der: [UInt8]
  let certificate: Certificate
  let chain: [Certificate]
  /// Without a label.
  let summary: IdentitySummary

  /// Enough for the identities of a service; a list of all has to be read anyway.
  private static let most = 64

  private static let known = Lock<[ItemID: KnownCertificates]>([:])

  /// Returns the certificates of an item: those that were read before, unless it has others now.
  ///
  /// - Throws: ``VaultError/Code/missingCertificate`` if it is not an identity or has none; else as
  ///   `Certificate.list`.
  static func of(_ item: Item) throws(VaultError) -> KnownCertificates {
    let der = item.certificates
    guard item.secretKind.withoutPIN == .identity, !der.isEmpty else {
      throw VaultError(.missingCertificate, "identity: the item has no certificate")
    }
    if let known = known.withLock({ $0[item.id] }), known.isOf(der) { return known }
    let read = try KnownCertificates(der)
    known.withLock { known in
      if known.count >= most { known.removeAll(keepingCapacity: true) }
      known[item.id] = read
    }
    return read
  }

  /// Returns whether these are the bytes that were read.
  ///
  /// An array's own comparison takes each by itself.
  private func isOf(_ other: [UInt8]) -> Bool {
    // Both have the count that is compared.
    unsafe der.count == other.count
      && der.withUnsafeBytes { own in
        unsafe other.withUnsafeBytes { other in
          guard let own = own.baseAddress, let other = other.baseAddress else { return true }
          return unsafe memcmp(own, other, der.count) == 0
        }
      }
  }

  private init(_ der: [UInt8]) throws(VaultError) {
    let list = try Certificate.list(der)
    self.der = der
    certificate = list[0]
    chain = Array(list.dropFirst())
    summary = IdentitySummary(certificate, chain, label: "")
  }
}
