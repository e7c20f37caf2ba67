import Interchange
import CredentialVault
import Glibc
import SecureMemory
import VaultModel
import VaultTerminal

/// `vaultctl docker-credential`, also as `docker-credential-vaultctl`: Docker's credential helper.
///
/// Docker reads errors from standard output, and any of them is exit status 1.
enum DockerCredentialCommand {
  static let command = Command(
    id: .dockerCredential,
    operands: Command.Operands(
      synopsis: "store|get|erase|list|version", count: 0...1,
      words: ["store", "get", "erase", "list", "version"]),
    summary: "answer Docker as a credential helper", example: "vaultctl setup docker --apply",
    details: [
      "In ~/.docker/config.json: {\"credsStore\": \"vaultctl\"}, with docker-credential-vaultctl on"
        + " the PATH.",
      "Docker gets, lists and erases its own items only: those with the origin docker. A server is"
        + " compared as it is written, so registry.example.com and https://registry.example.com"
        + " have a credential each. vaultctl add https://USER@HOST --origin docker adds one for"
        + " docker pull HOST/…",
      "vaultctl does not prompt here, unless the configuration has docker.prompt = yes. As Docker"
        + " expects, errors go to standard output, and the exit status of every error is 1. There"
        + " is no --json: the protocol has its own. With docker.store = no, a login that the vault"
        + " does not have already is refused.",
    ],
    groups: [
      OptionGroup(
        heading: "Form",
        options: [Option(.version, "v", .none, "write the helper's name and version")]),
      .commonOfHelpers,
    ], takesSeveralVaults: true, hasProtocol: true,
    run: run)

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
      guard let vaults = try invocation.forDocker("get", server).openListIfMade() else {
        throw DockerRequest.notFound
      }
      let item = try DockerStore.get(server, in: vaults)
      guard let secret = item.secret else { throw DockerRequest.notFound }
      try output.object { (json) throws(VaultError) in
        try json.field("ServerURL", server.text)
        try json.field("Username", item.account)
        try json.field("Secret", secret)
      }
    case "store":
      try store(DockerRequest(input()), invocation)
    case "erase":
      let server = try DockerRequest.server(input())
      guard let vaults = try invocation.forDocker("erase", server).openListIfMade() else {
        throw DockerRequest.notFound
      }
      try DockerStore.erase(server, in: vaults)
    case "list":
      let vaults = try invocation.forDocker("list").openListIfMade()
      let servers = try vaults.map { (vaults) throws(VaultError) in
        try DockerStore.list(in: vaults)
      }
      try output.object { (json) throws(VaultError) in
        for (server, user) in servers ?? [] { try json.field(server, user) }
      }
    case "version":
      try output.line("\(name) (credential-vault) \(ProductVersion.current)")
    case nil:
      throw VaultError(.invalidArgument, usage)
    case let action?:
      // Docker's protocol has the word in the text.
      throw VaultError(.invalidArgument, "\(name): unknown action: \(action)")
    }
  }

  private static func store(
    _ request: DockerRequest, _ invocation: Invocation
  ) throws(VaultError) {
    let vaults = try invocation.forDocker("store", request.server).openListToStore()
    if try VaultConfiguration.read()?.flag(.dockerStore) == false {
      guard try DockerStore.gives(request, in: vaults) else {
        throw VaultError(.policyRefused, "the configuration's docker.store is no")
      }
      return
    }
    _ = try DockerStore.store(request, in: vaults)
  }

  private static let name = CommandName.dockerCredential.helper ?? ""

  private static let usage = "Usage: \(name) <store|get|erase|list|version>"

  /// Returns the one line that Docker shows to its user.
  private static func text(for error: VaultError) -> String {
    switch error.code {
    case .itemNotFound, .expired: DockerRequest.notFound.context
    case .locked where !mayPrompt:
      "\(error.text) (docker.prompt = yes lets Docker's helper prompt)"
    default: error.text
    }
  }

  /// Whether the configuration lets the helper prompt.
  private static var mayPrompt: Bool {
    do throws(VaultError) {
      return try VaultConfiguration.read()?.flag(.dockerPrompt) == true
    } catch {
      // The error of the configuration itself is the one that is shown.
      return true
    }
  }

  private static func input() throws(VaultError) -> Secret {
    try SecretInput.readAll(from: STDIN_FILENO)
  }
}

extension Invocation {
  /// Returns the same run, whose prompts say what Docker asked for, if the configuration lets it
  /// prompt at all.
  ///
  /// - Throws: As `VaultConfiguration.read()`.
  fileprivate func forDocker(
    _ action: String, _ server: DockerServer? = nil
  ) throws(VaultError) -> Invocation {
    var run = prompting("docker \(action)" + (server.map { " for \($0.text)" } ?? ""))
    // Docker asks in the middle of its own work, often without anybody there.
    run.isSilent = try VaultConfiguration.read()?.flag(.dockerPrompt) != true
    return run
  }
}
