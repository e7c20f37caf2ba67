import VaultAdministration
import Glibc
package import SecureMemory
package import VaultModel
import VaultTerminal

/// The PINs of single items, from a descriptor or a prompt; no option takes a PIN itself.
extension Invocation {
  /// Returns an item that was found with its secret, for which a PIN is asked if it needs one.
  ///
  /// - Throws: ``VaultError/Code/pinRequired`` if nobody can be asked; the errors of a wrong PIN.
  func opened(
    _ item: Item, in vault: Vault
  ) throws(VaultError) -> Item {
    try withPIN(of: item) { (pin) throws(VaultError) in
      guard let pin else { return item }
      return try vault.pins.open(item, pin: pin)
    }
  }

  /// Calls a function with an item's PIN, nil if it needs none; at a terminal up to three times,
  /// until it is right.
  ///
  /// - Throws: As ``opened(_:in:)``, and the errors of `body`.
  package func withPIN<R>(
    of item: Item, _ body: (Secret?) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    guard item.needsPIN else { return try body(nil) }
    if let pin = try pin(from: .pinFD) { return try body(pin) }
    guard mayPrompt, let terminal = Terminal() else {
      throw VaultError(
        .pinRequired, "the item needs a PIN, and there is no terminal to ask on (--pin-fd)",
        candidates: [item.withoutSecrets])
    }
    var attempts = 1
    while true {
      let pin = try terminal.secret(prompt: "PIN for \(ItemText.subject(item)) (\(work)): ")
      guard pin.count > 0 else { throw VaultError(.invalidData, "nothing was typed") }
      do throws(VaultError) {
        return try body(pin)
      } catch {
        guard error.code == .authenticationFailed, attempts < PassphrasePrompt.attempts else {
          throw error
        }
      }
      attempts += 1
      try terminal.show("Wrong PIN; try again.")
    }
  }

  /// Returns a new PIN from its descriptor, or typed twice.
  func newPIN(for item: Item) throws(VaultError) -> Secret {
    if let pin = try pin(from: .newPinFD) { return pin }
    guard mayPrompt, let terminal = Terminal() else {
      throw VaultError(
        .missingInput, "there is no terminal to ask for the new PIN on (--new-pin-fd)")
    }
    return try terminal.newSecret(prompt: "New PIN for \(ItemText.subject(item)): ")
  }

  private func pin(from option: GeneralOption) throws(VaultError) -> Secret? {
    guard let number = try arguments.parsed(option, as: Values.descriptor) else { return nil }
    for other in [GeneralOption.passphraseFD, .pinFD, .newPinFD] where other != option {
      guard try arguments.parsed(other, as: Values.descriptor) != number else {
        throw VaultError(
          .invalidArgument, "--\(option.rawValue) and --\(other.rawValue) name one descriptor")
      }
    }
    guard isatty(number) != 1 else {
      throw VaultError(
        .invalidArgument, "--\(option.rawValue): the PIN would show on the terminal")
    }
    return SecretInput.withoutLineEnd(try SecretInput.readAll(from: number))
  }
}
