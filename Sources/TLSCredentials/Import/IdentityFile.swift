import CredentialVault
public import SecureMemory
public import VaultModel

/// The identities of files that other programs wrote: PKCS #12, or certificates and keys as PEM or
/// DER.
///
/// A PKCS #12 file is read whole, with all of its identities. It may be encrypted by the algorithms
/// of today or by those of old systems (3DES, RC2), authenticated by PBMAC1 or not at all, and
/// encoded by BER. No algorithm is enabled for the rest of the process.
public struct IdentityFile: Sendable {
  /// The identities, in the order of their keys.
  public private(set) var identities: [Identity] = []
  /// The certificates that belong to no identity, such as roots that Java trusts.
  public private(set) var certificates: [Certificate] = []
  /// The number of keys without a certificate, which are left out.
  public private(set) var keysWithoutCertificate = 0

  /// Reads files.
  ///
  /// Certificate and key may be in one file or in several. Text may be Base64 without the lines of
  /// PEM.
  ///
  /// Blocking: derives keys, a second for the costliest files that other programs write. More than
  /// 5,000,000 iterations for a key, or 12,000,000 in all, are refused before they begin.
  ///
  /// - Parameters:
  ///   - files: The contents of the files, 4 MiB at most each.
  ///   - passphrase: The passphrase of what is encrypted, in UTF-8; nil is the empty one.
  /// - Throws: ``VaultError/Code/authenticationFailed`` for a wrong passphrase;
  ///   ``VaultError/Code/unsupportedAlgorithm``, which names it; ``VaultError/Code/tooCostly``;
  ///   ``VaultError/Code/missingCertificate`` for keys of which none has a certificate;
  ///   ``VaultError/Code/missingIdentity`` if there is no key;
  ///   ``VaultError/Code/invalidData`` if a file is malformed; ``VaultError/Code/tooLarge``.
  public init(_ files: [Secret], passphrase: Secret? = nil) throws(VaultError) {
    var found = KeysAndCertificates()
    var budget = DerivationBudget()
    for file in files {
      let content = try FileContent(file)
      do throws(VaultError) {
        try content.read(into: &found, passphrase, &budget)
      } catch {
        // A malformed part makes the whole file malformed.
        throw error.code == .invalidData && error.context == ASN1.malformed.context
          ? VaultError(.invalidData, "identity file: malformed") : error
      }
    }
    try assemble(found)
  }

  /// Reads one file, as the initializer for several reads each of them.
  public init(_ file: Secret, passphrase: Secret? = nil) throws(VaultError) {
    try self.init([file], passphrase: passphrase)
  }

  /// Returns whether a file needs a passphrase, so that nobody is asked for one in vain.
  ///
  /// A PKCS #12 file that the empty passphrase opens needs none, which is found by trying.
  ///
  /// - Throws: As reading the file does, for a malformed, unsupported or costly one.
  public static func needsPassphrase(_ file: Secret) throws(VaultError) -> Bool {
    do throws(VaultError) {
      _ = try IdentityFile(file)
      return false
    } catch {
      switch error.code {
      case .authenticationFailed: return true
      case .missingIdentity, .missingCertificate: return false
      default: throw error
      }
    }
  }

  private mutating func assemble(_ found: KeysAndCertificates) throws(VaultError) {
    guard !found.keys.isEmpty else {
      throw VaultError(.missingIdentity, "identity file: no private key")
    }
    var others = found.certificates
    var isUsed = Set<Certificate>()
    for key in found.keys {
      let fitting = found.certificates.filter { key.value.matches($0.value) }
      // Of several for one key the file names the right one, or else the one that lasts is it.
      let named = fitting.first { $0.localKeyID != nil && $0.localKeyID == key.localKeyID }
      let newest = fitting.max { $0.value.notAfter < $1.value.notAfter }
      guard let leaf = named ?? newest else {
        keysWithoutCertificate += 1
        continue
      }
      let chain = Self.chain(of: leaf.value, among: found.certificates.map(\.value))
      isUsed.formUnion([leaf.value] + chain)
      identities.append(
        try Identity(
          certificate: leaf.value, chain: chain, key: key.value,
          label: key.label.isEmpty ? leaf.label : key.label))
    }
    guard !identities.isEmpty else {
      throw VaultError(.missingCertificate, "identity file: no certificate for the private key")
    }
    others.removeAll { isUsed.contains($0.value) }
    certificates = others.map(\.value)
  }

  /// Returns the issuers of a certificate, the nearest first.
  static func chain(of leaf: Certificate, among certificates: [Certificate]) -> [Certificate] {
    var chain: [Certificate] = []
    var last = leaf
    while !last.isSelfIssued {
      // Of several that a key was certified by, the one that lasts longest.
      let issuers = certificates.filter {
        last.mayBeIssued(by: $0) && $0 != leaf && !chain.contains($0)
      }
      guard let issuer = issuers.max(by: { $0.notAfter < $1.notAfter }) else { break }
      chain.append(issuer)
      last = issuer
    }
    return chain
  }
}
