import BusMessages
import CredentialVault
import VaultModel

/// The action of a prompt once the vault is unlocked.
enum PromptAction {
  case unlock([String])
  case createCollection(label: String, alias: String)
}

/// `org.freedesktop.Secret.Prompt`, and the one question that all who wait have in common.
extension SecretService {
  func answerOfPrompt(_ call: BusCall) throws(BusError) -> [BusValue] {
    guard prompts.object(call.path, of: call.sender) != nil else { throw .noSuchObject }
    switch (call.member, call.signature) {
    case ("Prompt", "s"):
      if !waiting.contains(call.path) { wait(call.path, for: programs.requester(call.sender)) }
      return []
    case ("Dismiss", ""):
      if let prompt = prompts.remove(call.path) { end(prompt, isUnlocked: false) }
      return []
    default: throw .unknownMethod
    }
  }

  /// Returns the path of a new prompt.
  func prompt(_ action: PromptAction, for client: String) throws(BusError) -> String {
    let (path, lost) = try prompts.add(action, of: client, programs)
    if let lost { end(lost, isUnlocked: false) }
    return path
  }

  /// How long anybody waits for the passphrase: longer than a pinentry that ends as it is told, and
  /// not forever for one that does not.
  private static let mostWaiting = Duration.seconds(300)

  /// Waits for the passphrase, and asks for it if nobody waits yet.
  func wait(_ path: String, for requester: Requester) {
    waiting.append(path)
    guard waiting.count == 1 else { return }
    waitingEnd = served.now() + Self.mostWaiting
    do throws(VaultError) {
      // Meanwhile another program, or an earlier prompt, may have unlocked it.
      if try served.unlockUnasked(afterClient: true) {
        passphraseEnded(isUnlocked: true)
      } else {
        passphrasePrompt.ask(forVaultAt: try served.vault().path ?? "", by: requester)
      }
    } catch {
      passphraseEnded(isUnlocked: false)
    }
  }

  /// Stops the waiting of one that is gone; nobody is asked for the last one.
  func stopWaiting(_ path: String) {
    guard let index = waiting.firstIndex(of: path) else { return }
    waiting.remove(at: index)
    guard waiting.isEmpty else { return }
    waitingEnd = nil
    passphrasePrompt.cancel()
  }

  /// Completes what waited for the passphrase.
  ///
  /// - Parameter isUnlocked: Whether it was typed and unlocked the vault.
  package func passphraseEnded(isUnlocked: Bool) {
    let ended = waiting
    (waiting, waitingEnd) = ([], nil)
    tellOfLock()
    for path in ended {
      if let prompt = prompts.remove(path) { end(prompt, isUnlocked: isUnlocked) }
      if let call = waitingCalls.remove(path) { end(call, isUnlocked: isUnlocked) }
    }
  }

  /// Tells the client of a prompt that was removed how it ended.
  private func end(_ prompt: ClientObjects<PromptAction>.Object, isUnlocked: Bool) {
    let (isDone, result) = result(of: prompt.value, isUnlocked: isUnlocked)
    post(
      prompt.path, Self.interface + "Prompt", "Completed",
      [.flag(!isDone), .variant(result)], to: prompt.owner)
    stopWaiting(prompt.path)
  }

  private func result(of action: PromptAction, isUnlocked: Bool) -> (isDone: Bool, BusValue) {
    switch action {
    case .unlock(let paths): return (isUnlocked, .paths(isUnlocked ? paths : []))
    case .createCollection(let label, let alias):
      do throws(BusError) {
        if isUnlocked { return (true, .path(try createCollection(label, alias))) }
      } catch {
        // The protocol has no other way to say that there is none.
      }
      return (false, .path(ObjectPath.none))
    }
  }
}
