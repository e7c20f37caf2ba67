import Foundation
import FoundationNetworking
import HTTPAuthentication
import Observation
import TLSCredentials
import VaultURLSession

/// A model as programs with a user interface have it: its macro names the module Observation.
@Observable final class Model {
  var answer = ""
}

/// Foundation's names and the vault's are in scope together, and none is of both.
@main struct BesideFoundation {
  static func main() async throws {
    let url = URL(string: "https://git.example.com/team.git") ?? URL(filePath: "/")
    let request = RequestHead("GET", url: try RequestURL(url.absoluteString))
    let response = ResponseHead(status: 401, fields: [])
    let host = try HostName("git.example.com")
    let space = try ProtectionSpace(url: url.absoluteString, realm: "Team Git")
    let credential = Credential(user: "ann", secret: Secret("one"), persistence: .session)

    let vault = Vault.inMemory()
    try await vault.set(credential, for: space)
    let exchange = try await Authenticator(vault: vault).exchange(for: request)
    let session = URLSession.shared.authenticated(by: vault)
    let model = Model()
    model.answer = "\(TrustAnchors.self)"
    print(
      host, space, exchange.fields.count, response.status, type(of: session), Data().count,
      model.answer)
  }
}
