import VaultAdministration
import Foundation
import FoundationNetworking
import Interchange
import VaultTransport
import VaultURLSession

/// The Swift of documentation comments: each function has the lines of one of them.
struct Comments {
  /// A client of somebody else's.
  struct Client: Sendable {
    let send: @Sendable (TokenRequest) async throws -> TokenResponse
  }

  func follow(_ vault: Vault) async {
    for await event in vault.events { print(event) }
  }

  func addKey(_ vault: Vault, _ key: KeySource) async throws {
    let slot = try await vault.perform { vault in try vault.keys.add(key, name: "backup") }
    print(slot.id)
  }

  func create(_ path: String) async throws -> Vault {
    let vault = try await Vault.perform { try Vault.create(key: .keyFile(path)) }
    return vault
  }

  func countSecrets(_ vault: Vault, _ query: ItemQuery) throws -> [Int] {
    let counts = try vault.read { reader in
      try reader.findAll(query).map { item in try reader.history(of: item).count }
    }
    return counts
  }

  func answerTokens(_ vaults: VaultList, by client: Client) -> Authenticator {
    let tokens = TokenProviders(in: vaults) { request in try await client.send(request) }
    let authenticator = Authenticator(vaults: vaults, settings: .init(refreshToken: tokens.token))
    return authenticator
  }

  func answerTokens(_ vault: Vault, _ vaults: VaultList) throws {
    let issuers = try Transport(vault: vault)
    let tokens = TokenProviders(in: vaults, send: issuers.send)
    let authenticator = Authenticator(vaults: vaults, settings: .init(refreshToken: tokens.token))
    let transport = try Transport(authenticator: authenticator)
    _ = transport
  }

  func load(_ configuration: URLSessionConfiguration, _ vault: Vault) throws {
    VaultURLProtocol.share(try Transport(vault: vault))
    configuration.protocolClasses = [VaultURLProtocol.self] + (configuration.protocolClasses ?? [])
  }

  func secret(_ json: JSONReader) throws -> Secret? {
    var secret: Secret?
    while let name = try json.nextMember() {
      if name == "Secret" { secret = try json.secret() } else { try json.skip() }
    }
    return secret
  }
}
