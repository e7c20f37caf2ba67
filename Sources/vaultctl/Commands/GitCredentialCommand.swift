import CredentialVault
import Glibc
import SecureMemory
import VaultModel

/// `vaultctl git-credential`, also as `git-credential-vaultctl`: Git's credential helper.
///
/// A miss prints nothing, not even on standard error, which Git shows to its user. A locked vault
/// is never a miss: one line, and exit status 36.
enum GitCredentialCommand {
  static let command = Command(
    id: .gitCredential,
    operands: Command.Operands(
      synopsis: "get|store|erase", count: 1...1, words: ["get", "store", "erase", "capability"]),
    summary: "answer Git as a credential helper",
    details: [
      "git config --global credential.helper vaultctl, with git-credential-vaultctl on the PATH.",
      "A request has a protocol and a host. An item with a path answers at that path and below it,"
        + " the longest first, one without a path last; Git leaves the path out for HTTP unless"
        + " credential.useHttpPath is set, and then an item without one answers first. Of several"
        + " users the default one answers, else the one that was stored last; of one user's items"
        + " first the one without a realm where the server named none, then the one for any password"
        + " method or for Basic. The terminal is not asked where Git's own settings forbid it.",
      "store and erase are about the very path, or the item that get gave; erase with a password"
        + " takes only what has that password.",
      "What Git stores a server has accepted. If the policy does not let it be kept, a warning says so"
        + " and the exit status is 0. It takes no --json: Git reads what it writes.",
    ],
    groups: [.commonOfGit], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    switch invocation.arguments.operands.first {
    case "get": try get(invocation)
    case "store": try store(invocation)
    case "erase": try erase(invocation)
    case "capability": try invocation.output.write("version 0\n")
    default: break  // git-credential(1): a helper ignores what it does not know.
    }
    return .success
  }

  private static func get(_ invocation: Invocation) throws(VaultError) {
    let request = try request()
    guard var pattern = GitPattern(request), pattern.namesPlace else { return }
    pattern.excludesExpired()
    let vault = try invocation.openVault()
    let items = try vault.findAll(pattern.query, secrets: true)
    let answer = try pattern.answer(pattern.matches(items)) { item throws(VaultError) in
      try DefaultCommand.isDefault(item) { space throws(VaultError) in
        try vault.defaultUser(for: space)
      }
    }
    guard let answer, !answer.isNegative else { return }
    try GitAnswer.write(answer, invocation.output)
  }

  private static func store(_ invocation: Invocation) throws(VaultError) {
    let request = try request()
    guard request.username != nil, let password = request.password, !request.isEphemeral,
      request.passwordExpiry.map({ $0 > Clock.now() }) ?? true
    else { return }
    guard let pattern = GitPattern(request) else {
      throw VaultError(.invalidData, "git: the host, protocol or user cannot be stored")
    }
    guard pattern.namesPlace else { return }
    do throws(VaultError) {
      let stored = try GitStore.store(request, pattern, password, in: invocation.openVault())
      if let stored { try invocation.warn(ofTwin: stored) }
    } catch {
      // Git has the credential, and will only have to ask again.
      guard error.code == .policyRefused else { throw error }
      if !invocation.isQuiet { try invocation.warn("not remembered: \(error.context)") }
    }
  }

  private static func erase(_ invocation: Invocation) throws(VaultError) {
    let request = try request()
    // A secret of another kind was refused, and those are never stored.
    guard !request.hasOtherCredential || request.password != nil else { return }
    guard let pattern = GitPattern(request), pattern.namesPlace else { return }
    try GitStore.erase(request, pattern, in: invocation.openVault())
  }

  private static func request() throws(VaultError) -> GitRequest {
    try GitRequest(SecretInput.readAll(from: STDIN_FILENO, until: GitRequest.isComplete))
  }
}
