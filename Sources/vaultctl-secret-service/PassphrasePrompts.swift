import CVaultSystem
import CredentialVault
import Glibc
import SecretService
import SecureMemory
import VaultModel

/// Asks for the vault's passphrase and unlocks it, while calls are answered.
///
/// The prompt is another process, and the derivation of the key another thread: neither is waited
/// for.
final class PassphrasePrompts: PassphrasePrompt {
  private static let attempts = 3

  private let served: ServedVault
  private var pinentry: Pinentry?
  private var attempt = 0
  /// Readable once an unlocking is over.
  let unlocked: Int32
  /// The result of the unlocking that runs; none if none does.
  private let result = Lock<Result<Void, VaultError>?>(nil)
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
      pinentry = try Pinentry(forVaultAt: path, by: requester)
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
    guard let pinentry, let step = pinentry.proceed() else { return }
    switch step {
    case .passphrase(let passphrase): unlock(with: passphrase)
    case .wait, .send, .ended: end(false)
    }
  }

  private func unlock(with passphrase: Secret) {
    do throws(VaultError) {
      let vault = try served.beginUnlocking()
      isUnlocking = true
      Self.start(vault, with: passphrase, result: result, signalling: unlocked)
    } catch {
      end(false)
    }
  }

  /// Unlocks a vault on another thread, and counts the descriptor up when that is over.
  private static func start(
    _ vault: Vault, with passphrase: Secret, result: Lock<Result<Void, VaultError>?>,
    signalling descriptor: Int32
  ) {
    Task.detached {
      let outcome: Result<Void, VaultError>
      do throws(VaultError) {
        try await vault.waiting { () throws(VaultError) in
          try vault.unlock(with: KeySource.passphrase(passphrase).completed())
        }
        outcome = .success(())
      } catch {
        outcome = .failure(error)
      }
      result.withLock { $0 = outcome }
      // The counter has room: it is read before another unlocking begins.
      eventfd_write(descriptor, 1)
    }
  }

  private static func isSuccess(_ outcome: Result<Void, VaultError>) -> Bool {
    if case .success = outcome { true } else { false }
  }

  /// Takes the result of an unlocking.
  func unlockingEnded() {
    var count: eventfd_t = 0
    // The number is ours.
    guard unsafe eventfd_read(unlocked, &count) == 0,
      let outcome = result.withLock({ result in
        defer { result = nil }
        return result
      })
    else { return }
    isUnlocking = false
    let waiting = next
    next = nil
    do throws(VaultError) {
      let isUnlocked = try served.unlockingEnded(
        isUnlocked: Self.isSuccess(outcome), isWanted: !isCancelled)
      guard !isUnlocked else { return end(true) }
      try outcome.get()
      // Somebody has locked it, or closed the prompt, meanwhile.
      if let waiting { begin(waiting.path, waiting.requester) } else { end(false) }
    } catch {
      if let waiting { return begin(waiting.path, waiting.requester) }
      guard error.code == .authenticationFailed, attempt < Self.attempts, !isCancelled,
        pinentry?.askAgain() == true
      else {
        end(false)
        return
      }
      attempt += 1
    }
  }
}
