import CredentialVault
import PeerTrust
import SecureMemory
import TLSCredentials
import VaultModel

/// An identity found and opened, against two lookups of a password and the key's parsing.
///
/// The vault has as many passwords as the others, and identities of P-256 with one authority each.
/// Each has a host of its own.
struct Identities {
  let stores: Stores
  let report: Report

  private static let hosts = 50
  private static let rounds = 45

  func run() throws {
    guard peer_trust_make() == 0 else { throw Failure("libcrypto makes no chain") }
    let path = "\(stores.folder)/identities.vault"
    let subject = try Subject(path: path, key: stores.key, creating: true)
    defer {
      subject.close()
      Stores.remove(path)
    }
    try subject.insertAll(Sample.shuffled(0..<stores.count).map { try $0.item() })
    let key = Secret(copying: PeerTrustBytes.copied { unsafe peer_trust_copy_key($0, $1) }.span)
    let identity = try Identity(
      certificate: Trust.certificate(0), chain: [Trust.certificate(1)],
      key: PrivateKey(pkcs8: key))
    let spaces = try (0..<Self.hosts).map { host in
      try ProtectionSpace(url: Self.url(host), authenticationMethod: .clientCertificate)
    }
    for space in spaces {
      try subject.vault.identities.add(identity, for: space, name: "client")
    }
    let lookups = stores.lookups.prefix(Self.hosts)
    let vault = subject.vault
    // One that a service opens again and again, as for each connection.
    try measure("an identity found and opened", lookups, subject, key, .ratio(1)) { host in
      guard let found = try vault.identities.findAll(for: spaces[host]).first else { return nil }
      return try vault.identities.open(found)
    }
    try measure("an identity chosen and opened", lookups, subject, key) { host in
      try vault.identities.open(vault.identities.choose(for: Self.url(host)))
    }
  }

  private func measure(
    _ title: String, _ lookups: ArraySlice<Stores.Lookup>, _ subject: Subject, _ key: Secret,
    _ target: Target? = nil, _ open: (Int) throws -> Identity?
  ) throws {
    let pairs = try alternating(Self.rounds) {
      try seconds {
        for host in 0..<Self.hosts {
          guard try open(host)?.chain.count == 1 else { throw Failure("another identity") }
        }
      } / Double(Self.hosts)
    } peer: {
      let lookup =
        try seconds {
          for lookup in lookups {
            guard try subject.find(lookup.space, lookup.account) != nil else {
              throw Failure("not found")
            }
          }
        } / Double(lookups.count)
      let parsing =
        try seconds { for _ in 0..<Self.hosts { _ = try PrivateKey(pkcs8: key) } }
        / Double(Self.hosts)
      return 2 * lookup + parsing
    }
    report.add(
      "\(title); against two finds of a password and the key's parsing", stores.count,
      pairs, target)
  }

  private static func url(_ host: Int) -> String { "https://client-\(host).int.example.com/" }
}
