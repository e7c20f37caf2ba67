import CSecretServiceSystemd
import CredentialVault
import Glibc
import SecretService
import SecureMemory
import VaultModel
import VaultTerminal

/// Asks for the vault's passphrase and unlocks it, while calls are answered.
///
/// The prompt is another process, and the derivation of the key another thread: neither is waited
/// for.
final class PassphrasePrompts: PassphrasePrompt {
  private static let attempts = 3

  private let served: ServedVault
  private var pinentry: Pinentry?
  private var attempt = 0
  /// Counts up to an unlocking's ``Result`` once it is over, and is readable then.
  let unlocked: Int32
  private var isUnlocking = false
  private var isCancelled = false
  /// The vault to ask for when a derivation that was cancelled has ended, and who wants it.
  private var next: (path: String, requester: Requester)?
  /// Called when the asking is over, with whether the vault was unlocked.
  var ended: (Bool) -> Void = { _ in }

  init(_ served: ServedVault) throws(VaultError) {
    self.served = served
    unlocked = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard unlocked >= 0 else {
      throw VaultError(.unavailable, "no eventfd", underlying: .errno(errno))
    }
  }

  /// The descriptor of the prompt that is shown; nil if none is.
  var prompt: Int32? { isUnlocking ? nil : pinentry?.descriptor }

  func ask(forVaultAt path: String, by requester: Requester) {
    (attempt, isCancelled) = (1, false)
    // One that was cancelled may still be deriving; its end begins the new prompt.
    guard !isUnlocking else {
      next = (path, requester)
      return
    }
    begin(path, requester)
  }

  private func begin(_ path: String, _ requester: Requester) {
    do throws(VaultError) {
      pinentry = try Pinentry(forVaultAt: path, by: requester.name)
    } catch {
      end(false)
    }
  }

  func cancel() {
    (isCancelled, next) = (true, nil)
    pinentry = nil
  }

  private func end(_ isUnlocked: Bool) {
    pinentry = nil
    ended(isUnlocked)
  }

  /// Reads what the prompt says.
  func proceed() {
    guard let pinentry, let answer = pinentry.proceed() else { return }
    switch answer {
    case .passphrase(let passphrase): unlock(with: passphrase)
    case .none: end(false)
    }
  }

  private func unlock(with passphrase: Secret) {
    do throws(VaultError) {
      let vault = try served.beginUnlocking()
      isUnlocking = true
      Self.start(vault, with: passphrase, signalling: unlocked)
    } catch {
      end(false)
    }
  }

  /// The end of an unlocking, as the descriptor has it.
  private enum Result: eventfd_t {
    case unlocked = 1
    case wrongPassphrase
    case failed
  }

  /// Unlocks a vault on another thread, and counts the descriptor up when that is over.
  private static func start(
    _ vault: Vault, with passphrase: Secret, signalling descriptor: Int32
  ) {
    Task.detached {
      let result: Result
      do throws(VaultError) {
        try await vault.unlock(with: KeySource.passphrase(passphrase).completed())
        result = .unlocked
      } catch {
        result = error.code == .authenticationFailed ? .wrongPassphrase : .failed
      }
      // The counter has room: it is read before another unlocking begins.
      eventfd_write(descriptor, result.rawValue)
    }
  }

  /// Takes the result of an unlocking.
  func unlockingEnded() {
    var count: eventfd_t = 0
    // The number is ours.
    guard unsafe eventfd_read(unlocked, &count) == 0, let result = Result(rawValue: count) else {
      return
    }
    isUnlocking = false
    let waiting = next
    next = nil
    do throws(VaultError) {
      let isUnlocked = try served.unlockingEnded(
        isUnlocked: result == .unlocked, isWanted: !isCancelled)
      guard !isUnlocked else { return end(true) }
    } catch {
      // It stays locked.
    }
    // Somebody has locked it, or closed the prompt, meanwhile.
    if let waiting { return begin(waiting.path, waiting.requester) }
    guard result == .wrongPassphrase, attempt < Self.attempts, !isCancelled,
      pinentry?.askAgain() == true
    else { return end(false) }
    attempt += 1
  }
}
