import TLSCredentials

/// The Swift of the article: each function's body is one of its snippets.
struct ImportingIdentities {
  func ask() throws(VaultError) -> Secret { Secret("secret") }

  func show(_ text: String) {}

  func list(_ bytes: Secret, _ passphrase: Secret) throws {
    let file = try IdentityFile(bytes, passphrase: passphrase)
    for identity in file.identities {
      print("\(identity.certificate.subject) until \(identity.notAfter)")
    }
  }

  func open(_ bytes: Secret) throws -> IdentityFile {
    let passphrase = try IdentityFile.needsPassphrase(bytes) ? try ask() : nil
    return try IdentityFile(bytes, passphrase: passphrase)
  }

  func handle(_ bytes: Secret, _ passphrase: Secret) -> [Identity] {
    do throws(VaultError) {
      return try IdentityFile(bytes, passphrase: passphrase).identities
    } catch {
      switch error.code {
      case .authenticationFailed: show("The passphrase is wrong.")
      case .unsupportedAlgorithm, .tooCostly: show("Export it again: \(error.context).")
      case .missingIdentity: show("The file has no private key.")
      case .missingCertificate: show("Name the certificate's file, too.")
      default: show("The file is damaged.")
      }
      return []
    }
  }

  func write(_ identity: Identity, _ passphrase: Secret) throws -> [Secret] {
    let forServers = try identity.pkcs12(passphrase: passphrase)
    let forMac = try identity.pkcs12(passphrase: passphrase, form: .compatible)
    let forCurl = identity.pem
    return [forServers, forMac, forCurl]
  }
}
