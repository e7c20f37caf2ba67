import CVault
import Glibc
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
    return error.keychainStatus
  }
}

/// Errors of the keychain's interface only; their numbers are negative, unlike those of the
/// library's own codes.
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

  /// The status for each code: the one whose documented meaning tells the caller what to do.
  private static let keychainStatuses: [Code: Int] = [
    .internalError: errVaultInternalError,
    .invalidArgument: errVaultParam,
    // There is no prompt for a key here, as with Apple's functions when no user interface may be
    // shown.
    .locked: errVaultInteractionNotAllowed,
    .itemNotFound: errVaultItemNotFound,
    .duplicateItem: errVaultDuplicateItem,
    // Neither occurs here: the first of several items is returned, and no revision is passed.
    .ambiguous: errVaultInvalidQuery,
    .conflict: errVaultInvalidItemRef,
    // The item and its attributes exist, but its secret has expired; finding says "not found".
    .expired: errVaultDataNotAvailable,
    // As Apple maps a corrupt database, and a file that is not a database.
    .damaged: errVaultInvalidKeychain,
    .notAVault: errVaultInvalidKeychain,
    // The reference is as invalid as one to a released vault.
    .closed: errVaultInvalidKeychain,
    .vaultNotFound: errVaultNoSuchKeychain,
    .vaultExists: errVaultDuplicateKeychain,
    .authenticationFailed: errVaultAuthFailed,
    .readOnly: errVaultReadOnly,
    // The whole vault was replaced: it is not damaged, and a passphrase does not help.
    .rolledBack: errVaultVerifyFailed,
    .forked: errVaultVerifyFailed,
    .anotherVault: errVaultVerifyFailed,
    // A rule forbids the write; there is another number for a vault that cannot be written at all.
    .policyRefused: errVaultWrPerm,
    .invalidData: errVaultDecode,
    // The configured key file is missing, so the vault is not available.
    .missingInput: errVaultNotAvailable,
    .unavailable: errVaultServiceNotAvailable,
    .outOfMemory: errVaultAllocate,
    .cannotCreate: errVaultIO,
    .inputOutput: errVaultIO,
    // It has its own number, because the other failures changed nothing, and this one may have.
    .outcomeUnknown: errVaultInternalComponent,
    .busy: errVaultDatabaseLocked,
    .tooNew: errVaultWrongSecVersion,
    // A state that the owner must correct first.
    .unsafePermissions: errVaultBadReq,
    .configuration: errVaultNoDefaultKeychain,
    .interrupted: errVaultUserCanceled,
    .tooLarge: errVaultDataTooLarge,
    .unsupported: errVaultUnimplemented,
  ]
}
