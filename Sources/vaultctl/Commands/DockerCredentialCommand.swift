import Interchange
import CredentialVault
import Glibc
import SecureMemory
import VaultModel

/// `vaultctl docker-credential`, also as `docker-credential-vaultctl`: Docker's credential helper.
///
/// Docker reads errors from standard output, and any of them is exit status 1.
enum DockerCredentialCommand {
  static let command = Command(
    id: .dockerCredential,
    operands: Command.Operands(
      synopsis: "store|get|erase|list|version", count: 0...1,
      words: ["store", "get", "erase", "list", "version"]),
    summary: "answer Docker as a credential helper",
    details: [
      "In ~/.docker/config.json: {\"credsStore\": \"vaultctl\"}, with docker-credential-vaultctl on"
        + " the PATH.",
      "Docker gets, lists and erases its own items only: those with the origin docker. A server is"
        + " compared as it is written, so registry.example.com and https://registry.example.com"
        + " have a credential each. vaultctl add https://USER@HOST --origin docker adds one for"
        + " docker pull HOST/…",
      "vaultctl never prompts here. As Docker expects, errors go to standard output, and the exit"
        + " status of every error is 1. There is no --json: the protocol has its own.",
    ],
    groups: [
      OptionGroup(
        heading: "Form",
        options: [Option(.version, "v", .none, "write the helper's name and version")]),
      .commonOfHelpers,
    ], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    do throws(VaultError) {
      try answer(invocation)
      return .success
    } catch {
      // Nobody reads an output that cannot be written.
      guard !invocation.output.hasFailed else { throw error }
      try invocation.output.line(text(for: error))
      return .other
    }
  }

  /// Answers a command line that cannot be read, as Docker's own helpers do.
  static func refuse(_ error: VaultError, _ output: Output) -> ExitCode {
    do throws(VaultError) {
      try output.line(usage)
      try output.close()
    } catch {
      Messages.error(error)
    }
    return .other
  }

  private static func answer(_ invocation: Invocation) throws(VaultError) {
    let output = invocation.output
    let arguments = invocation.arguments
    switch arguments.has(.version) ? "version" : arguments.operands.first {
    case "get":
      let server = try DockerRequest.server(input())
      let item = try DockerStore.get(server, in: invocation.openList())
      guard let secret = item.secret else { throw DockerRequest.notFound }
      var json = JSONWriter(output)
      try json.beginObject()
      try json.field("ServerURL", server.text)
      try json.field("Username", item.account)
      try json.field("Secret", secret)
      try json.endObject()
      try json.finish()
    case "store":
      _ = try DockerStore.store(DockerRequest(input()), in: invocation.openList())
    case "erase":
      try DockerStore.erase(DockerRequest.server(input()), in: invocation.openList())
    case "list":
      let servers = try DockerStore.list(in: invocation.openList())
      var json = JSONWriter(output)
      try json.beginObject()
      for (server, user) in servers { try json.field(server, user) }
      try json.endObject()
      try json.finish()
    case "version":
      try output.line("\(name) (credential-vault) \(VersionCommand.version)")
    case nil:
      throw VaultError(.invalidArgument, usage)
    default:
      // A stray argument may be a secret, and is not repeated.
      throw VaultError(.invalidArgument, "\(name): unknown action")
    }
  }

  private static let name = CommandName.dockerCredential.helper ?? ""

  private static let usage = "Usage: \(name) <store|get|erase|list|version>"

  /// Returns the one line that Docker shows to its user.
  private static func text(for error: VaultError) -> String {
    switch error.code {
    case .itemNotFound, .expired: DockerRequest.notFound.context
    case .locked: "\(error.text) (Docker's helper never prompts)"
    default: error.text
    }
  }

  private static func input() throws(VaultError) -> Secret {
    try SecretInput.readAll(from: STDIN_FILENO)
  }
}
