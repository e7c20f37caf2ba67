import CVault
import Glibc
import VaultModel

/// Runs what a function of the keychain's interface does and turns its error into Apple's number.
///
/// ``vault_last_error()`` explains it, as it does for the native functions.
func keychainStatus(_ body: () throws(VaultError) -> Void) -> Int32 {
  do throws(VaultError) {
    try HomeProcess.require()
    try body()
    return Int32(errVaultSuccess)
  } catch {
    LastError.set(error.text)
    return error.keychainStatus
  }
}

/// What only the keychain's interface answers; its numbers are negative, and those of the library's own codes are not.
extension VaultError.Code {
  static let invalidVaultReference = Self(rawValue: Int32(errVaultInvalidKeychain))
  static let noDefaultVault = Self(rawValue: Int32(errVaultNoDefaultKeychain))
  static let invalidItemReference = Self(rawValue: Int32(errVaultInvalidItemRef))
  static let invalidSearchReference = Self(rawValue: Int32(errVaultInvalidSearchRef))
  static let noSuchClass = Self(rawValue: Int32(errVaultNoSuchClass))
  static let noSuchAttribute = Self(rawValue: Int32(errVaultNoSuchAttr))
  static let readOnlyAttribute = Self(rawValue: Int32(errVaultReadOnlyAttr))
  static let invalidValue = Self(rawValue: Int32(errVaultInvalidValue))
  static let missingValue = Self(rawValue: Int32(errVaultMissingValue))
  static let invalidQuery = Self(rawValue: Int32(errVaultInvalidQuery))
}

extension VaultError {
  /// Apple's number for the error.
  var keychainStatus: Int32 {
    guard code.rawValue >= 0 else { return code.rawValue }
    if code == .inputOutput, isDiskFull { return Int32(errVaultDiskFull) }
    return Int32(Self.keychainStatuses[code] ?? errVaultInternalError)
  }

  private var isDiskFull: Bool {
    switch underlying {
    // The low byte of an extended result code is the primary one; 13 is SQLITE_FULL.
    case .sqlite(let result): result & 0xFF == 13
    case .errno(let number): number == ENOSPC || number == EDQUOT
    case nil: false
    }
  }

  /// Each code has the number whose documented meaning tells the caller what to do about it.
  private static let keychainStatuses: [Code: Int] = [
    .internalError: errVaultInternalError,
    .invalidArgument: errVaultParam,
    // Nobody is asked for a key here, so it is as with Apple's where no user interface may be shown.
    .locked: errVaultInteractionNotAllowed,
    .itemNotFound: errVaultItemNotFound,
    .duplicateItem: errVaultDuplicateItem,
    // Neither is asked of a vault here: the first of several answers, and no revision is named.
    .ambiguous: errVaultInvalidQuery,
    .conflict: errVaultInvalidItemRef,
    // The item and its attributes are there, and only its secret is not given out; finding says "not found".
    .expired: errVaultDataNotAvailable,
    // As Apple maps a corrupt database, and a file that is none.
    .damaged: errVaultInvalidKeychain,
    .notAVault: errVaultInvalidKeychain,
    // The reference is as good as one to a vault that was released.
    .closed: errVaultInvalidKeychain,
    .vaultNotFound: errVaultNoSuchKeychain,
    .vaultExists: errVaultDuplicateKeychain,
    .authenticationFailed: errVaultAuthFailed,
    .readOnly: errVaultReadOnly,
    // Whole vaults were put in another's place: that is no damage, and nothing that a passphrase mends.
    .rolledBack: errVaultVerifyFailed,
    .forked: errVaultVerifyFailed,
    .anotherVault: errVaultVerifyFailed,
    // A rule does not let it be written; that the whole vault cannot be written is another number.
    .policyRefused: errVaultWrPerm,
    .invalidData: errVaultDecode,
    // The key file that is configured is not there, so the vault is not available.
    .missingInput: errVaultNotAvailable,
    .unavailable: errVaultServiceNotAvailable,
    .outOfMemory: errVaultAllocate,
    .cannotCreate: errVaultIO,
    .inputOutput: errVaultIO,
    // Alone with its number, because the other failures changed nothing, and this one may have.
    .outcomeUnknown: errVaultInternalComponent,
    .busy: errVaultDatabaseLocked,
    .tooNew: errVaultWrongSecVersion,
    // A state that its owner has to mend before anything is done.
    .unsafePermissions: errVaultBadReq,
    .configuration: errVaultNoDefaultKeychain,
    .interrupted: errVaultUserCanceled,
    .tooLarge: errVaultDataTooLarge,
    .unsupported: errVaultUnimplemented,
  ]
}
