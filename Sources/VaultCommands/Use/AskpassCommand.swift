import CredentialVault
import SecureMemory
import VaultModel

/// `vaultctl askpass`, also as `vaultctl-askpass`: answers Git and ssh without a terminal.
///
/// Without an answer it prints nothing, even on standard error, which both show to their users.
enum AskpassCommand {
  static let command = Command(
    id: .askpass,
    operands: Command.Operands(synopsis: "PROMPT", count: 1...1),
    summary: "answer a question of Git or ssh", example: "GIT_ASKPASS=vaultctl-askpass git fetch",
    details: [
      "GIT_ASKPASS=vaultctl-askpass, or SSH_ASKPASS=vaultctl-askpass with"
        + " SSH_ASKPASS_REQUIRE=prefer, and vaultctl-askpass on the PATH as a link to vaultctl.",
      "Git's questions for a user or password get the item that git-credential would give, and"
        + " ssh's for a password the item of protocol ssh for the user, host and port of its own"
        + " connection, whatever the question says. The passphrase of a private key is the generic"
        + " password of service OpenSSH and account PATH, as on macOS; ssh-add, ssh-keygen and ssh"
        + " from OpenSSH 8.5 on get it. Every other question, and every other program, ends with"
        + " status 44 and without a message: a server can write what ssh asks. A script in between"
        + " has to exec vaultctl-askpass.",
    ],
    groups: [.commonOfHelpers], takesSeveralVaults: true, mayPrompt: { GitInteraction.isAllowed },
    run: run)

  /// The service under which ssh of macOS keeps passphrases, by the path of the key.
  private static let keyService = "OpenSSH"

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    // "confirm" wants a yes, and "none" shows a message (ssh(1)).
    guard Environment.value("SSH_ASKPASS_PROMPT") == nil,
      let prompt = invocation.arguments.operands.first.flatMap(AskpassPrompt.init),
      let wanted = try AskpassParent.current()?.wanted(by: prompt)
    else { return .notFound }
    let answer: Secret?
    switch wanted {
    case .credential(let isUser, let place):
      guard let item = try item(at: place, invocation) else { return .notFound }
      answer = isUser ? Secret(item.account) : item.secret
    case .keyPassphrase(let path):
      answer = try passphrase(ofKey: path, invocation)
    }
    // A line feed would end the answer early, and the programs read no NUL.
    guard let answer, answer.count > 0, isLine(answer) else { return .notFound }
    try invocation.checkPrintable(answer)
    try invocation.output.write(answer)
    try invocation.output.write("\n")
    return .success
  }

  /// Returns the item that answers Git's helper at this place.
  private static func item(
    at place: AskpassPrompt.Place, _ invocation: Invocation
  ) throws(VaultError) -> Item? {
    var request = GitRequest()
    request.networkProtocol = place.networkProtocol
    request.username = place.user
    request.host = place.host
    request.path = place.path
    guard var pattern = GitPattern(request), pattern.namesPlace else { return nil }
    pattern.excludesExpired()
    let vaults = try invocation.prompting("askpass for \(place.host)").openList()
    let found = try GitStore.answer(to: pattern, in: vaults)
    return found.flatMap { $0.item.isNegative ? nil : $0.item }
  }

  private static func passphrase(
    ofKey path: String, _ invocation: Invocation
  ) throws(VaultError) -> Secret? {
    var arguments = Arguments()
    arguments.add(.attribute(.service), keyService)
    arguments.add(.attribute(.account), path)
    let selection = try Selection(arguments, readsMetadata: false)
    let vaults = try invocation.prompting("askpass for \(path)").openList()
    do throws(VaultError) {
      return try vaults.first { (vault) throws(VaultError) in
        try selection.itemWithSecret(in: vault)
      }.item.secret
    } catch {
      guard error.code == .itemNotFound || error.code == .expired else { throw error }
      return nil
    }
  }

  private static func isLine(_ secret: Secret) -> Bool {
    secret.withRawBytes { bytes in
      // The buffer is valid inside the closure.
      unsafe bytes.withUnsafeBytes { buffer in
        unsafe !buffer.contains { $0 == 0 || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
      }
    }
  }
}
