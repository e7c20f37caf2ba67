import Glibc
package import VaultModel

/// Errors of the keychain's interface only; their numbers are negative, unlike those of the
/// library's own codes.
extension VaultError.Code {
  package static let invalidVaultReference = Self(.invalidKeychain)
  package static let noDefaultVault = Self(.noDefaultKeychain)
  package static let invalidItemReference = Self(.invalidItemReference)
  package static let invalidSearchReference = Self(.invalidSearchReference)
  package static let noSuchClass = Self(.noSuchClass)
  package static let noSuchAttribute = Self(.noSuchAttribute)
  package static let readOnlyAttribute = Self(.readOnlyAttribute)
  package static let invalidValue = Self(.invalidValue)
  package static let missingValue = Self(.missingValue)
  package static let invalidQuery = Self(.invalidQuery)
  package static let interactionNotAllowed = Self(.interactionNotAllowed)

  private init(_ status: KeychainStatus) {
    self.init(rawValue: status.rawValue)
  }
}

extension VaultError {
  /// Apple's number for the error.
  package var keychainStatus: Int32 {
    guard code.rawValue >= 0 else { return code.rawValue }
    if code == .inputOutput, isDiskFull { return KeychainStatus.diskFull.rawValue }
    return (Self.keychainStatuses[code] ?? .internalError).rawValue
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
  private static let keychainStatuses: [Code: KeychainStatus] = [
    .internalError: .internalError,
    .invalidArgument: .parameter,
    // There is no prompt for a key here, as with Apple's functions when no user interface may be
    // shown.
    .locked: .interactionNotAllowed,
    .pinRequired: .interactionNotAllowed,
    .itemNotFound: .itemNotFound,
    .duplicateItem: .duplicateItem,
    // Neither occurs here: the first of several items is returned, and no revision is passed.
    .ambiguous: .invalidQuery,
    .conflict: .invalidItemReference,
    // The item and its attributes exist, but its secret has expired; finding says "not found".
    .expired: .dataNotAvailable,
    // As Apple maps a corrupt database, and a file that is not a database.
    .damaged: .invalidKeychain,
    .notAVault: .invalidKeychain,
    // The reference is as invalid as one to a released vault.
    .closed: .invalidKeychain,
    .vaultNotFound: .noSuchKeychain,
    .vaultExists: .duplicateKeychain,
    .authenticationFailed: .authenticationFailed,
    .tooManyAttempts: .authenticationFailed,
    .readOnly: .readOnly,
    // The whole vault was replaced: it is not damaged, and a passphrase does not help.
    .rolledBack: .verifyFailed,
    .forked: .verifyFailed,
    .anotherVault: .verifyFailed,
    // A rule forbids the write; there is another number for a vault that cannot be written at all.
    .policyRefused: .writePermission,
    .invalidData: .decode,
    // The configured key file is missing, so the vault is not available.
    .missingInput: .notAvailable,
    .unavailable: .serviceNotAvailable,
    .outOfMemory: .allocate,
    .cannotCreate: .inputOutput,
    .inputOutput: .inputOutput,
    // It has its own number, because the other failures changed nothing, and this one may have.
    .outcomeUnknown: .internalComponent,
    .busy: .databaseLocked,
    .tooNew: .wrongVersion,
    // A state that the owner must correct first.
    .unsafePermissions: .badRequest,
    .configuration: .noDefaultKeychain,
    .interrupted: .userCanceled,
    .tooLarge: .dataTooLarge,
    .unsupported: .unimplemented,
    // SecPKCS12Import cannot read such files either, and says no more.
    .unsupportedAlgorithm: .decode,
    .tooCostly: .decode,
    .missingIdentity: .decode,
    .missingCertificate: .decode,
  ]
}
