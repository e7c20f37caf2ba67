import TLSCredentials

/// The Swift of the page on TLS, its section on identities: each function's body is a snippet.
struct TLSIdentities {
  func store(_ bytes: Secret, _ passphrase: Secret, in vault: Vault) async throws {
    let file = try IdentityFile(bytes, passphrase: passphrase)
    let space = try ProtectionSpace(url: "https://api.example.com")
    for identity in file.identities {
      let stored = try vault.identities.add(identity, for: space)
      print("\(stored.identity.item.account) until \(identity.notAfter)")
    }
  }

  func prefer(_ identity: StoredIdentity, in vault: Vault) async throws -> StoredIdentity {
    try vault.identities.setPreferred(identity, for: "https://api.example.com/team/")
    try vault.identities.setPreferred(identity, for: "*.example.com")
    return try vault.identities.choose(for: "https://api.example.com/team/a")
  }

  func renew(
    _ stored: StoredIdentity, _ certificate: Certificate, _ chain: [Certificate], in vault: Vault
  ) async throws {
    try vault.identities.renew(stored, certificate: certificate, chain: chain)
  }

  func open(
    _ stored: StoredIdentity, _ pin: Secret, in vault: Vault
  ) async throws -> Identity {
    try vault.pins.set(pin, on: stored.item)
    return try vault.identities.open(stored, pin: pin)
  }

  func refer(
    _ certificates: [Certificate], _ pin: Secret, for space: ProtectionSpace, in vault: Vault
  ) async throws -> StoredIdentity {
    let reference = try KeyReference(uri: "pkcs11:token=Work;object=ann", pin: pin)
    return try vault.identities.add(certificates, key: reference, for: space).identity
  }

  func configure(_ url: String, from vault: Vault) async throws -> TLSConfiguration {
    let identity = try vault.identities.open(vault.identities.choose(for: url))
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.certificateChain = try ([identity.certificate] + identity.chain).map {
      .certificate(try NIOSSLCertificate(bytes: $0.der, format: .der))
    }
    let key = identity.key.pkcs8.withBytes { bytes in bytes.indices.map { bytes[$0] } }
    configuration.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: key, format: .der))
    return configuration
  }
}

// What the snippet uses of swift-nio-ssl, in the shape that it has there.

enum NIOSSLSerializationFormats { case der }

struct NIOSSLCertificate {
  let bytes: [UInt8]

  init(bytes: [UInt8], format: NIOSSLSerializationFormats) throws { self.bytes = bytes }
}

struct NIOSSLPrivateKey {
  let bytes: [UInt8]

  init(bytes: [UInt8], format: NIOSSLSerializationFormats) throws { self.bytes = bytes }
}

enum NIOSSLCertificateSource { case certificate(NIOSSLCertificate) }

enum NIOSSLPrivateKeySource { case privateKey(NIOSSLPrivateKey) }

struct TLSConfiguration {
  var certificateChain: [NIOSSLCertificateSource] = []
  var privateKey: NIOSSLPrivateKeySource?

  static func makeClientConfiguration() -> TLSConfiguration { TLSConfiguration() }
}
