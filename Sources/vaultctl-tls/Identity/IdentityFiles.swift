import CredentialVault
import SecureMemory
import TLSCredentials
import VaultCommands
import VaultModel

/// An identity as files in memory, for another program.
struct IdentityFiles {
  /// Above the descriptors that a command may take for its own.
  private static let firstNumber: Int32 = 10

  /// The files, which the program inherits.
  let files: [SealedMemory]
  /// The path of a PEM with certificate and chain, and with the key unless that is in a token.
  let certificate: String
  /// The path of the key as PEM; for one in a token its URI, which reads the PIN from a file.
  let key: String
  /// The same for Git, whose GnuTLS reads no file with a PIN.
  let keyForGit: Secret

  /// Opens an identity.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if it cannot be put into memory; as
  ///   `VaultIdentities.open` and `openReference`.
  init(
    of stored: StoredIdentity, in vault: Vault, pin itemPIN: Secret? = nil
  ) throws(VaultError) {
    guard stored.keyReference != nil else {
      let identity = try vault.identities.open(stored, pin: itemPIN)
      files = [try Self.file(identity.pem), try Self.file(identity.key.pem)]
      (certificate, key) = (files[0].path, files[1].path)
      keyForGit = Secret(key)
      return
    }
    let reference = try vault.identities.openReference(stored, pin: itemPIN)
    let chain = try Self.file(
      Secret(([stored.certificate] + stored.chain).map(\.pem).joined()))
    keyForGit = reference.whole
    certificate = chain.path
    guard let pin = reference.pin else {
      (files, key) = ([chain], reference.uri)
      return
    }
    // Arguments show to every user; a file in memory does not.
    let pinFile = try Self.file(pin)
    (files, key) = ([chain, pinFile], reference.uri(pinFile: pinFile.path))
  }

  private static func file(_ content: Secret) throws(VaultError) -> SealedMemory {
    try SealedMemory(content, above: firstNumber)
  }
}

extension SealedMemory {
  fileprivate var path: String { "/proc/self/fd/\(descriptor)" }
}
