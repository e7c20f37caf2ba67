import CVault
import KeychainItems
import VaultModel

/// Runs the body of a function of the keychain's interface, and converts its error to Apple's
/// number.
///
/// ``vault_last_error()`` explains it, as it does for the native functions.
func keychainStatus(_ body: () throws(VaultError) -> Void) -> Int32 {
  do throws(VaultError) {
    try HomeProcess.require()
    try body()
    return Int32(errVaultSuccess)
  } catch {
    LastError.set(error.text)
    // Apple's status for a locked keychain in a program that allows no prompt.
    if error.code == .locked, !KeychainInteraction.isAllowed { return Int32(errVaultAuthFailed) }
    return error.keychainStatus
  }
}
