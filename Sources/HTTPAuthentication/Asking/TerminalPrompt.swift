public import CredentialVault
import SecureMemory
public import VaultModel
import VaultTerminal

/// Asks the user at the terminal of the process, `/dev/tty`.
///
/// It shows who asks (server or proxy, host and port, realm), with which scheme, whether the password will be sent in
/// clear, and what was refused before. Then it asks for the user, the password, which is not shown, an account domain
/// where the scheme wants one, and how to remember them. An empty line at `User [ann]:` takes what stands in brackets;
/// an empty password is a password. In the place of a user, which never has a colon:
///
/// | typed | answer |
/// |---|---|
/// | `:e` | the empty user |
/// | `:d` | ``Answer/declineScheme`` |
/// | `:w` | ``Answer/goOnWithout`` |
/// | `:c` | ``Answer/cancel(_:)`` with ``Cancellation/request`` |
/// | `:s`, and Ctrl-D at any prompt | ``Answer/cancel(_:)`` with ``Cancellation/space`` |
/// | `:a`, and Ctrl-C at any prompt | ``Answer/cancel(_:)`` with ``Cancellation/all`` |
///
/// A user that is stored is used as stored, without asking for a password. Ctrl-Z stops the program; when it is
/// continued the prompt comes again. While a prompt waits, those keys send no signals. A signal from elsewhere that
/// ends the program leaves the terminal as the prompt made it, which shells repair.
///
/// Without a terminal, or in the background, it never waits: it goes on without a credential. It reads on a thread of
/// its own; cancelling the task ends the prompt, with the terminal as it was before.
public struct TerminalPrompt: CredentialPrompt {
  /// The longest that the user may have something remembered.
  public let offered: Persistence

  /// Makes one that offers to remember for so long; for ``Persistence/none`` it does not ask.
  public init(offering offered: Persistence = .permanent) {
    self.offered = offered
  }

  /// Asks for a credential.
  public func answer(_ question: Question) async -> Answer {
    do throws(VaultError) {
      let dialogue = TerminalDialogue(question, offering: offered)
      return try await TerminalThread.talk { terminal throws(VaultError) in
        try dialogue.hold(at: terminal)
      }
    } catch {
      guard error.code == .interrupted else { return .goOnWithout }
      // Nobody has said a word about other requests when the task was cancelled.
      return .cancel(Task.isCancelled ? .request : .all)
    }
  }

  /// Asks for the vault's passphrase until one is typed; nil if there is no terminal, or at Ctrl-C and Ctrl-D.
  ///
  /// A key file that the environment names goes with it, for a slot that needs both.
  public func key(_ question: UnlockQuestion) async -> KeySource? {
    do throws(VaultError) {
      let passphrase = try await TerminalThread.talk { terminal throws(VaultError) in
        if question.failures > 0 { try terminal.show("The passphrase was wrong.") }
        let vault = question.path ?? "the vault in memory"
        while true {
          let typed = try terminal.secret(prompt: "Passphrase for \(vault): ")
          guard typed.count == 0 else { return typed }
          try terminal.show("A passphrase is not empty.")
        }
      }
      return KeySource.passphrase(passphrase).completed()
    } catch {
      return nil
    }
  }
}
