import CVaultSystem
import VaultTerminal
import CredentialVault
import Glibc
import SecureMemory
package import VaultModel
package import VaultStore

/// `vaultctl exec`: becomes another program, which gets secrets.
package enum ExecCommand {
  static let command = Command(
    id: .exec,
    operands: Command.Operands(
      synopsis: "[--] COMMAND [ARG…]", count: 1...Int.max, isCommandLine: true),
    summary: "run a command with secrets in its variables or files",
    example: "vaultctl exec --env TOKEN=ci.example.com -- make publish",
    details: [
      "REF names an item as in find; REF:account, REF:refresh_token and the like another field"
        + " of it. All are opened before the command runs: if one fails, it does not run.",
      "--fd and --file give the secret as a file without a name that cannot be changed; it is gone"
        + " when the command and what it started have closed it. --env puts the secret into the"
        + " command's environment, where every program that it starts gets it, and root and"
        + " programs of the same user can read it.",
      "--env-file reads lines of NAME=VALUE, with # before a comment and quotation marks around a"
        + " value if it needs them. {{ vault \"REF\" }} and {{ vault \"REF\" \"FIELD\" }} stand for"
        + " secrets, as in vaultctl inject, so that the file itself has none. A later file overrides"
        + " an earlier one, and --env and --file override both.",
      "The command gets the other variables except VAULTCTL_… and CREDENTIALS_DIRECTORY. Its exit"
        + " status is that of vaultctl, or 127 if there is no such command, 126 if it cannot be"
        + " run. There is no --json: the output is the command's.",
    ],
    groups: [
      OptionGroup(
        heading: "Secrets (each can be given several times)",
        options: [
          Option(.env, nil, .binding("NAME=REF"), "the variable NAME is the secret"),
          Option(
            .envFile, nil, .file,
            "variables of a file, in which {{ vault \"REF\" }} stands for a secret"),
          Option(.fd, nil, .binding("N=REF"), "descriptor N reads the secret; 0 is standard input"),
          Option(
            .file, nil, .binding("NAME=REF"),
            "the variable NAME is the path of a file with the secret"),
        ]),
      OptionGroup(
        heading: "The command",
        options: [cleanEnvironment]), .freshness, .commonOfHelpers,
    ], takesSeveralVaults: true, run: run)

  static let cleanEnvironment = Option(
    .cleanEnv, nil, .none,
    "give it only these variables, PATH, HOME, USER, LOGNAME, SHELL, TERM, TZ, TMPDIR, LANG and"
      + " LC_…")

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let bindings = try Binding.all(invocation.arguments)
    let files = try invocation.arguments.texts(.envFile).map { (path) throws(VaultError) in
      try EnvironmentFile(path)
    }
    var environment = ChildEnvironment(isClean: invocation.arguments.has(.cleanEnv))
    let secrets = try open(bindings, files, into: &environment, invocation)
    var opened: [File] = []
    let highest = bindings.compactMap(\.number).max() ?? 2
    for (binding, secret) in zip(bindings, secrets) {
      do throws(VaultError) {
        switch binding.place {
        case .variable(let name): try environment.set(name, secret)
        case .descriptor(let number):
          opened.append(File(memory: try SealedMemory(secret, above: highest + 1), target: number))
        case .file(let name):
          let file = File(memory: try SealedMemory(secret, above: highest + 1), target: nil)
          try environment.set(name, Secret("/proc/self/fd/\(file.number)"))
          opened.append(file)
        }
      } catch {
        throw error.preceded(by: binding.option)
      }
    }
    return try become(invocation.arguments.operands, environment, invocation) {
      () throws(VaultError) in
      for file in opened { try file.handOver() }
    }
  }

  /// Becomes another program, which does not get the descriptor of the vault's passphrase.
  ///
  /// - Parameters:
  ///   - words: Its name and arguments.
  ///   - environment: Its variables.
  ///   - invocation: The run of the command that becomes it.
  ///   - handOver: Passes files to it.
  /// - Returns: The exit status if it cannot be run.
  /// - Throws: Any error of `handOver`.
  package static func become(
    _ words: [String], _ environment: ChildEnvironment, _ invocation: Invocation,
    handOver: () throws(VaultError) -> Void
  ) throws(VaultError) -> ExitCode {
    try keepPassphrase(invocation)
    ProcessHardening.restore()
    try handOver()
    let number = become(words, environment)
    Messages.error(
      VaultError(.unavailable, "\(words[0]) cannot be run", underlying: .errno(number)))
    return number == ENOENT || number == ENOTDIR ? .commandNotFound : .cannotRun
  }

  /// Opens every secret, in the order of the bindings; those of files become variables.
  private static func open(
    _ bindings: [Binding], _ files: [EnvironmentFile], into environment: inout ChildEnvironment,
    _ invocation: Invocation
  ) throws(VaultError) -> [Secret] {
    let program = invocation.arguments.operands.first?.split(separator: "/").last ?? ""
    let needsVault = !bindings.isEmpty || files.contains(where: \.hasSecrets)
    let vaults = needsVault ? try invocation.prompting("exec \(program)").openList() : nil
    var values: [String: Secret] = [:]
    for file in files {
      let read = try file.values { (reference) throws(VaultError) in
        guard let vaults else { throw VaultError(.internalError, "no vault was opened") }
        return try vaults.secret(of: reference, invocation)
      }
      for (name, value) in read { values[name] = value }
    }
    for name in bindings.compactMap(\.name) { values[name] = nil }
    for (name, value) in values.sorted(by: { $0.key < $1.key }) { try environment.set(name, value) }
    guard let vaults else { return [] }
    var secrets: [Secret] = []
    for binding in bindings {
      do throws(VaultError) {
        secrets.append(try vaults.secret(of: binding.reference, invocation))
      } catch {
        throw error.preceded(by: binding.option)
      }
    }
    return secrets
  }

  /// Withholds the descriptor of the vault's passphrase from the command, which could read it
  /// again.
  private static func keepPassphrase(_ invocation: Invocation) throws(VaultError) {
    guard let number = try invocation.arguments.parsed(.passphraseFD, as: Values.descriptor) else {
      return
    }
    guard number == STDIN_FILENO else {
      _ = fcntl(number, F_SETFD, FD_CLOEXEC)
      return
    }
    // A literal, which ends with NUL.
    let none = unsafe Glibc.open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard none >= 0, dup2(none, STDIN_FILENO) == STDIN_FILENO else {
      throw VaultError(.inputOutput, "/dev/null", underlying: .errno(errno))
    }
  }

  /// Replaces this process, as `execvp` does.
  ///
  /// - Returns: The number of the error, if it could not.
  private static func become(_ words: [String], _ environment: ChildEnvironment) -> Int32 {
    // The copies live until the process is another one, or until it ends.
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    return unsafe environment.withPointers { variables in
      unsafe vaultctl_become(&arguments, variables)
      return errno
    }
  }

  /// A file for the command, at a chosen descriptor or at any.
  private struct File {
    let memory: SealedMemory
    let target: Int32?

    var number: Int32 { target ?? memory.descriptor }

    /// Passes it to the command.
    func handOver() throws(VaultError) {
      let isDone =
        if let target {
          dup2(memory.descriptor, target) == target
        } else {
          memory.isInherited()
        }
      guard isDone else {
        throw VaultError(.unavailable, "--fd", underlying: .errno(errno))
      }
    }
  }
}
