public import CredentialVault
public import SecureMemory
public import VaultModel
import VaultTerminal

/// A prompt that asks the user at the terminal of the process, `/dev/tty`.
///
/// It shows the challenger (server or proxy, host and port, realm), the scheme, whether the
/// password will be sent in clear, and earlier refusals. Then it asks for the user, the password
/// without echo, an account domain if the scheme needs one, and how long to remember them. An empty
/// line at `User [ann]:` takes the name in brackets; an empty password is a password. In place of a
/// user, which never has a colon:
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
/// A stored user is used as stored, without asking for a password. Ctrl-Z stops the program; when
/// it is continued, the prompt is shown again. While a prompt waits, those keys send no signals. If
/// another signal ends the program, the terminal keeps the prompt's settings, which shells repair.
///
/// Without a terminal, or in the background, it never waits: it continues without a credential. It
/// reads on a thread of its own; cancelling the task ends the prompt and restores the terminal.
public struct TerminalPrompt: CredentialPrompt {
  /// The longest persistence that the user can choose.
  private let offered: Persistence

  /// Creates a prompt that offers to remember for up to this long; for ``Persistence/none`` it does
  /// not ask.
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
      // A cancelled task says nothing about other requests.
      return .cancel(Task.isCancelled ? .request : .all)
    }
  }

  /// Asks for the vault's passphrase until one is typed; returns nil without a terminal, or at
  /// Ctrl-C and Ctrl-D.
  ///
  /// If the environment names a key file, it is added, for a slot that needs both.
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
      return try await Vault.waitingAlone { () throws(VaultError) in
        try KeySource.passphrase(passphrase).completed()
      }
    } catch {
      return nil
    }
  }

  /// Asks for the PIN of a stored credential; returns nil for an empty one, without a terminal, or
  /// at Ctrl-C and Ctrl-D.
  public func pin(_ question: PINQuestion) async -> Secret? {
    do throws(VaultError) {
      let pin = try await TerminalThread.talk { terminal throws(VaultError) in
        if question.failures > 0 { try terminal.show("The PIN was wrong.") }
        let user = Printable.quoted(question.item.account, longest: 40)
        return try terminal.secret(
          prompt: "PIN for \(user) at \(question.space.host.urlText):\(question.space.port): ")
      }
      return pin.count > 0 ? pin : nil
    } catch {
      return nil
    }
  }
}
