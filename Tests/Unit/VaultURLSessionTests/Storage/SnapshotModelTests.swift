import CredentialVault
import SecureMemory
import TestSupport
import TestTraits
import Testing
import VaultModel

@testable import VaultURLSession

/// A storage's lookups compared with the vault's own, after random changes through two vaults of
/// one file.
@Suite("Snapshots beside their vault", .waiting) struct SnapshotModelTests {
  private static let ports: [UInt16] = [0, 443, 8443]

  private static func hosts() throws -> [HostName] {
    try ["h.test", "127.0.0.1"].map { try HostName($0) }
  }

  private static func spaces() throws -> [ProtectionSpace] {
    var spaces: [ProtectionSpace] = []
    for host in try hosts() {
      for port in ports {
        for realm in ["", "Team"] {
          for method in [AuthenticationMethod.default, .basic, .digest, .ntlm, .form] {
            for network in [NetworkProtocol.https, .ftp] {
              spaces.append(
                try ProtectionSpace(
                  host: host.name, port: Int(port), protocol: network, realm: realm,
                  authenticationMethod: method))
            }
            spaces.append(
              try ProtectionSpace(
                proxyHost: host.name, port: Int(port), type: .httpProxy, realm: realm,
                authenticationMethod: method))
          }
        }
      }
    }
    return spaces
  }

  private func randomItem(_ random: inout SplitMix) throws -> Item {
    Item(
      server: Int.random(in: 0..<9, using: &random) == 0
        ? .unset : try #require(Self.hosts().randomElement(using: &random)),
      account: try #require(["ann", "bob", "carl"].randomElement(using: &random)),
      secret: Secret("\(random.next())"),
      protocol: try #require(
        [NetworkProtocol.https, .https, .https, .unset, .ftp, .httpProxy]
          .randomElement(using: &random)),
      port: try #require(Self.ports.randomElement(using: &random)),
      realm: Int.random(in: 0..<4, using: &random) == 0 ? "" : "Team",
      path: Int.random(in: 0..<4, using: &random) == 0 ? "/a" : "",
      authenticationMethod: try #require(
        [AuthenticationMethod.default, .basic, .digest, .ntlm, .form]
          .randomElement(using: &random)))
  }

  /// Adds, changes, deletes, or sets a default; changes that the vault refuses have no effect.
  private func change(
    _ vault: Vault, _ spaces: [ProtectionSpace], _ random: inout SplitMix
  ) throws {
    let known = try vault.findAll(ItemQuery()).randomElement(using: &random)
    let added = try randomItem(&random)
    let space = try #require(spaces.randomElement(using: &random))
    let port = try #require(Self.ports.randomElement(using: &random))
    let isPermanent = Bool.random(using: &random)
    let turn = Int.random(in: 0..<12, using: &random)
    do throws(VaultError) {
      switch (turn, known) {
      case (0, let item?): try vault.remove(item)
      case (1, let item?): _ = try vault.modify(item, [.port(port)])
      case (2, let item?): _ = try vault.modify(item, [.server(.unset)])
      case (3, _), (4, _):
        try vault.setDefaultCredential(
          Credential(user: "ann", secret: Secret("x"), persistence: .permanent), for: space)
      default: try vault.add(added, persistence: isPermanent ? .permanent : .session)
      }
    } catch {
      let isRefusal = [.duplicateItem, .invalidArgument].contains(error.code)
      guard isRefusal else { throw error }
    }
  }

  /// Returns the results of a lookup, in order.
  private func names(_ candidates: [Candidate]) -> [String] {
    candidates.map { "\($0.item.id) \($0.item.persistence) \($0.item.revision)" }
  }

  @Test(
    "each space has the vault's candidates in the vault's order, and its default", arguments: 1...10
  )
  func agree(_ seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let fixture = try StorageFixture()
    let keeper = SnapshotKeeper(fixture.vault) { Issue.record("\($0.code)") }
    let other = try fixture.open()
    let spaces = try Self.spaces()
    for _ in 0..<4 {
      for _ in 0..<30 {
        try change(Bool.random(using: &random) ? fixture.vault : other, spaces, &random)
      }
      try keeper.flush()
      // One that has followed the changes, and one that reads everything at once.
      let fresh = SnapshotKeeper(fixture.vault) { Issue.record("\($0.code)") }
      for space in spaces {
        let theirs = names(try fixture.vault.candidates(ItemQuery(space)))
        let user = try fixture.vault.defaultUser(for: space)
        for keeper in [keeper, fresh] {
          #expect(names(keeper.candidates(for: space)) == theirs, "\(space)")
          #expect(keeper.defaultUsers(for: space).first == user, "\(space)")
        }
      }
    }
  }
}
