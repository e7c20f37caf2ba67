import BusMessages
import CredentialVault
import Glibc
import SecretService
import SessionBus
import VaultModel

/// The service on the bus: one thread that answers calls until nobody has any.
final class Server: SessionBus.Handler {
  static let name = "org.freedesktop.secrets"

  private let bus: SessionBus
  private let served: ServedVault
  private let service: SecretService
  private let prompts: PassphrasePrompts
  private let idle: Duration
  private var lastCall = ContinuousClock.now

  /// - Parameter idle: The time without a call after which the program ends.
  /// - Throws: ``VaultError/Code/unavailable`` without a session bus.
  init(idle: Duration) throws(VaultError) {
    self.idle = idle
    bus = try SessionBus()
    served = ServedVault(remembering: RememberedTime.afterDesktopPrompt) { () throws(VaultError) in
      // Short, because calls wait meanwhile; a busy vault is an error that a client can repeat.
      try Vault.openLocked(lockTimeout: .seconds(2), withSharedSession: true)
    }
    prompts = try PassphrasePrompts(served)
    service = SecretService(served, prompt: prompts)
    prompts.ended = { [unowned self] isUnlocked in
      // Its signals follow the answer of the call, if that could not even begin to ask.
      service.passphraseEnded(isUnlocked: isUnlocked)
    }
  }

  /// Serves until the program is idle.
  ///
  /// - Returns: Whether the name was free.
  func run() throws(VaultError) -> Bool {
    try bus.serve(self)
    guard try bus.request(Self.name) else { return false }
    while true {
      _ = try bus.process()
      refresh()
      if isIdle() {
        try bus.release(Self.name)
        // A call that was sent before the bus knew; the next one starts the program anew.
        if try bus.process() == 0 || isIdle() { return true }
        guard try bus.request(Self.name) else { return true }
      }
      try wait()
    }
  }

  func answer(_ call: BusCall) throws(BusError) -> [BusValue]? {
    lastCall = .now
    defer { tellOfLock() }
    return try service.answer(call)
  }

  func clientIs(_ name: String, process: UInt32) { service.clientIs(name, process: process) }

  func clientLeft(_ name: String) { service.clientLeft(name) }

  private func tellOfLock() {
    for signal in service.takeLockSignals() { bus.send(signal) }
  }

  func answered() {
    tellOfLock()
    for reply in service.takeReplies() { bus.send(reply) }
    for signal in service.takeSignals() { bus.send(signal) }
  }

  /// Waits for a call, for what a prompt says, or for the time to look whether any is to come.
  private func wait() throws(VaultError) {
    let (descriptor, events) = bus.waiting
    var states = [
      pollfd(fd: descriptor, events: events, revents: 0),
      pollfd(fd: prompts.unlocked, events: Int16(POLLIN), revents: 0),
    ]
    if let prompt = prompts.prompt {
      states.append(pollfd(fd: prompt, events: Int16(POLLIN), revents: 0))
    }
    // The array is ours, and as long as is said.
    guard unsafe poll(&states, nfds_t(states.count), timeout) >= 0 || errno == EINTR else {
      throw VaultError(.unavailable, "poll", underlying: .errno(errno))
    }
    if states[1].revents != 0 { prompts.unlockingEnded() }
    if states.count > 2, states[2].revents != 0 { prompts.proceed() }
    answered()
  }

  /// The milliseconds until something is due: the end of a key, of a prompt, or of the program.
  ///
  /// An item that holds the program back after its time may expire without a call: it looks once a
  /// minute.
  private var timeout: Int32 {
    let now = ContinuousClock.now
    var due = now + .seconds(60)
    if lastCall + idle > now { due = min(due, lastCall + idle) }
    if let refresh = service.nextRefresh { due = min(due, refresh) }
    // Rounded up: just before its time nothing is due.
    return Int32(max(now.duration(to: due), .zero) / .milliseconds(1)) + 1
  }

  /// Locks the vault when its key's time is over, and ends a prompt that nobody answers, whether
  /// anybody calls or not.
  private func refresh() {
    do throws(VaultError) {
      try service.refresh()
    } catch {
      // A vault that is busy is looked at again with the next turn.
    }
    answered()
  }

  /// Returns whether the program can end without anybody losing anything.
  private func isIdle() -> Bool {
    guard lastCall.duration(to: .now) >= idle, !service.isAsking, !service.hasSessions else {
      return false
    }
    do throws(VaultError) {
      // The next start would open a vault that a client has locked.
      guard !served.holdsTypedKey, !served.isLockedByClient else { return false }
      return try !served.hasSessionItems()
    } catch {
      // A vault that cannot be read holds nothing back.
      return true
    }
  }
}
