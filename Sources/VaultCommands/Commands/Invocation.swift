import CredentialVault
import VaultModel

/// One run of one command: its arguments, and the output that it writes to.
public struct Invocation {
  let command: Command
  /// The command line's options and operands.
  public private(set) var arguments: Arguments
  /// Its standard output.
  public let output: Output
  /// The action of a command that has several, once it is taken from the operands.
  private var action: String?
  /// The work that a prompt names, if it is not the command's own.
  private var purpose: String?
  /// Whether a helper may not prompt in this run.
  var isSilent = false
  /// Whether the program that called this one calls it again for the same operation.
  var hasFollower = false

  /// The name of the program that runs the command.
  var program = "vaultctl"

  /// The variable that names a key, before one that holds a secret is wiped.
  let setKeyVariable = KeySource.inEnvironment.first?.variable

  /// Whether the answer is one document of JSON.
  public var isJSON: Bool { arguments.has(.json) }
  /// Whether nothing is said that was not asked for.
  public var isQuiet: Bool { arguments.has(.quiet) }

  init(command: Command, arguments: Arguments, output: Output) {
    (self.command, self.arguments, self.output) = (command, arguments, output)
  }

  /// Returns the action that the first operand names, and the run of it with the operands after it.
  ///
  /// A command alone shows what there is, if it has an action for that.
  public func takingAction() -> (action: String?, run: Invocation) {
    var run = self
    run.action = run.arguments.removeFirstOperand() ?? command.operands.actionAlone
    return (run.action, run)
  }

  /// Returns the same run, whose prompts name this work of another program.
  func prompting(_ purpose: String) -> Invocation {
    var run = self
    run.purpose = purpose
    return run
  }

  /// The work that every prompt names: `default set for git.example.com`.
  ///
  /// It has words of the command table, and the server or service that is named, but no reference
  /// that may be a secret.
  var work: String {
    if let purpose { return purpose }
    let first = action ?? arguments.operands.first ?? ""
    let words = command.operands.words.contains(first) ? [command.name, first] : [command.name]
    return words.joined(separator: " ") + (place.map { " for \($0)" } ?? "")
  }

  private var place: String? {
    do throws(VaultError) {
      return try Selection(arguments, readsMetadata: false).place
    } catch {
      // The command reports what is wrong with it.
      return nil
    }
  }
}

@available(*, unavailable)
extension Invocation: Sendable {}
