import VaultAdministration
import Glibc
import SecureMemory
import Synchronization
import VaultCrypto
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
    example: "git config --global credential.helper vaultctl",
    details: [
      "git config --global credential.helper vaultctl, with git-credential-vaultctl on the PATH.",
      "A request has a protocol and a host. Items with a path answer at that path and below it,"
        + " longest path first, and items without a path last. Git omits the path for HTTP"
        + " unless credential.useHttpPath is set; items without a path then answer first. Of"
        + " several users, the default one answers, or else the one stored last. Of one user's"
        + " items, the one without a realm comes first if the server named none, then the one"
        + " for any password method or for Basic. vaultctl does not prompt if Git's own settings"
        + " forbid it.",
      "Git 2.46 and later is also given bearer tokens (items with -t bearer) if the server accepts"
        + " them, and its bearer tokens are stored. Secrets of other schemes are never stored.",
      "store and erase apply to the exact path, or to the item that get returned; erase with a"
        + " password only removes items with that password. Of several vaults, the first that"
        + " has an answer gives it, and new credentials are stored in the default one.",
      "Git calls its helper twice for each operation: get, and store after the server has accepted"
        + " it. From 2.46 on, store opens the vault only if the credential is a new one. An older"
        + " Git makes a vault with a passphrase prompt twice, unless it is unlocked, or"
        + " credential.helper is vaultctl --remember=operation, which keeps the key in the kernel"
        + " from get to store, for a minute at most.",
      "Of an item that has expired, Git is given the user and the refresh token, if it has one, and no"
        + " password: a helper for OAuth that is configured after this one renews it without a"
        + " browser. vaultctl purge keeps such items.",
      "Git stores what a server has accepted. What the policy allows for the session only is kept"
        + " there if the session is shared (vaultctl help add). If it may not be kept at all, a"
        + " warning says so and the exit status is 0. There is no --json: Git reads the output.",
    ],
    groups: [.commonOfHelpers], takesSeveralVaults: true,
    hasProtocol: true, mayPrompt: { GitInteraction.isAllowed }, run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    switch invocation.arguments.operands.first {
    case "get": try get(invocation)
    case "store": try store(invocation)
    case "erase": try erase(invocation)
    case "capability":
      try invocation.output.write("version 0\ncapability authtype\ncapability state\n")
    default: break  // git-credential(1): a helper ignores what it does not know.
    }
    return .success
  }

  private static func get(_ invocation: Invocation) throws(VaultError) {
    let request = try request()
    guard let all = GitPattern(request), all.namesPlace else { return }
    var pattern = all
    pattern.excludesExpired()
    guard let vaults = try invocation.forGit("get", request).openListIfMade() else { return }
    guard let item = try GitStore.answer(to: pattern, in: vaults)?.item else {
      guard let (item, token) = try GitStore.renewable(by: all, in: vaults) else { return }
      return try GitAnswer.write(refreshToken: token, of: item, to: request, invocation.output)
    }
    guard !item.isNegative else { return }
    let hasDerived = SlotKey.derivations.load(ordering: .relaxed) > 0
    try GitAnswer.write(item, to: request, hasDerived: hasDerived, invocation.output)
  }

  private static func store(_ invocation: Invocation) throws(VaultError) {
    let request = try request()
    guard try stores() else { return }
    guard let secret = request.secret, request.username != nil || request.isForToken,
      !request.isEphemeral, request.passwordExpiry.map({ $0 > Clock.now() }) ?? true
    else { return }
    guard let pattern = GitPattern(request) else {
      throw VaultError(.invalidData, "git: the host, protocol or user cannot be stored")
    }
    guard pattern.namesPlace else { return }
    guard try !request.isEcho else { return try invocation.forgetOneUse() }
    do throws(VaultError) {
      let vaults = try invocation.forGit("store", request).openListToStore()
      let stored = try GitStore.store(request, pattern, secret, in: vaults)
      if let stored { try invocation.warn(ofPortVariant: stored) }
    } catch {
      // Git has the credential, and will only have to ask again.
      guard error.code == .policyRefused else { throw error }
      if !invocation.isQuiet { try invocation.warn("not remembered: \(error.context)") }
    }
  }

  private static func erase(_ invocation: Invocation) throws(VaultError) {
    let request = try request()
    // A secret of another kind was refused, and those are never stored.
    guard !request.hasOtherSecret else { return }
    guard let pattern = GitPattern(request), pattern.namesPlace else { return }
    guard let vaults = try invocation.forGit("erase", request).openListIfMade() else { return }
    try GitStore.erase(request, pattern, in: vaults)
  }

  /// Returns whether the user wants Git's credentials to be stored.
  ///
  /// - Throws: As `VaultConfiguration.read()`.
  fileprivate static func stores() throws(VaultError) -> Bool {
    try VaultConfiguration.read()?.flag(.gitStore) != false
  }

  private static func request() throws(VaultError) -> GitRequest {
    try GitRequest(SecretInput.readAll(from: STDIN_FILENO, until: GitRequest.isComplete))
  }
}

extension Invocation {
  /// Forgets the keys that the call before has left for this one, which needs none.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for a setting that means nothing.
  fileprivate func forgetOneUse() throws(VaultError) {
    guard try remembering() == .oneUse else { return }
    for listed in try VaultLocation.list(arguments.texts(.vault)).vaults {
      do throws(VaultError) {
        try RememberedKey(openLocked(listed)).forgetOneUse()
      } catch {
        // A key that is left ends within the minute.
      }
    }
  }

  /// Returns the same run, whose prompts say what Git asked for.
  ///
  /// - Throws: As `VaultConfiguration.read()`.
  fileprivate func forGit(
    _ action: String, _ request: GitRequest
  ) throws(VaultError) -> Invocation {
    var run = prompting("git \(action)" + (request.host.map { " for \($0)" } ?? ""))
    run.isSilent = try VaultConfiguration.read()?.flag(.gitPrompt) == false
    // After a miss, Git asks its user, and stores what a server accepts; what one refused, it
    // erases. Only an unchanged store needs no key, and then forgets it.
    let stores = try GitCredentialCommand.stores()
    run.hasFollower = action == "get" && stores
    return run
  }
}
