import CVault
import KeychainServices
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

/// Returns a message for a status; the contract is in `vault_keychain.h`.
@c @implementation
public func VaultCopyErrorMessageString(
  _ status: Int32, _ reserved: UnsafeMutableRawPointer?
) -> UnsafePointer<CChar>? {
  unsafe KeychainMessages.pointer(to: status)
}

/// The messages of the statuses.
///
/// The texts are constants, so counting their owners has no effect.
enum KeychainMessages {
  /// Returns a message as a C string that is never freed; nil for an unknown status.
  static func pointer(to status: Int32) -> UnsafePointer<CChar>? {
    unsafe KeychainStatus.message(of: status).map { unsafe pointer($0) }
  }

  /// Returns whether an address is that of a message; it is not read.
  @safe static func contains(_ address: UnsafeRawPointer) -> Bool {
    addresses.contains(UInt(bitPattern: address))
  }

  private static let addresses = Set(
    KeychainStatus.allMessages.map { unsafe UInt(bitPattern: pointer($0)) })

  private static func pointer(_ text: StaticString) -> UnsafePointer<CChar> {
    // A literal of more than one scalar is a pointer to NUL-terminated UTF-8 that lives as long as
    // the library.
    unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
