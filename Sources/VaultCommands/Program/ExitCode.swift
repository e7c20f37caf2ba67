import VaultModel

/// The exit status of the program, a number that never changes its meaning.
///
/// If the keychain's `security` tool has a status for the same thing, the number is the same; the
/// others are those of `sysexits.h`.
package enum ExitCode: Int32, CaseIterable, Sendable {
  case success = 0
  case other = 1
  case locked = 36
  case notFound = 44
  case exists = 45
  case ambiguous = 46
  case expired = 47
  case conflict = 48
  case damaged = 49
  case noVault = 50
  case authenticationFailed = 51
  case readOnly = 52
  case incomplete = 53
  case wentBack = 54
  case policyRefused = 55
  case usage = 64
  case invalidData = 65
  case missingInput = 66
  case unavailable = 69
  case resources = 71
  case cannotCreate = 73
  case inputOutput = 74
  case busy = 75
  case tooNew = 76
  case unsafePermissions = 77
  case configuration = 78
  case cannotRun = 126
  case commandNotFound = 127
  case interrupted = 130

  /// Creates the status that ends the program after an error with this code.
  init(_ code: VaultError.Code) {
    self =
      switch code {
      case .locked, .pinRequired: .locked
      case .itemNotFound: .notFound
      case .duplicateItem: .exists
      case .ambiguous: .ambiguous
      case .expired: .expired
      case .conflict: .conflict
      case .damaged: .damaged
      case .vaultNotFound: .noVault
      case .authenticationFailed, .tooManyAttempts: .authenticationFailed
      case .readOnly: .readOnly
      case .rolledBack, .forked, .anotherVault: .wentBack
      case .policyRefused: .policyRefused
      case .invalidArgument: .usage
      case .invalidData, .notAVault, .tooLarge, .unsupportedAlgorithm, .tooCostly,
        .missingIdentity, .missingCertificate:
        .invalidData
      case .missingInput: .missingInput
      case .unavailable, .unsupported: .unavailable
      case .outOfMemory: .resources
      case .vaultExists, .cannotCreate: .cannotCreate
      case .inputOutput, .outcomeUnknown: .inputOutput
      case .busy: .busy
      case .tooNew: .tooNew
      case .unsafePermissions: .unsafePermissions
      case .configuration: .configuration
      case .interrupted: .interrupted
      default: .other
      }
  }

  /// Its meaning, for the manual page.
  var meaning: String {
    switch self {
    case .success: "done, also if the reader of the output wanted no more of it"
    case .other: "an error that has no other status"
    case .locked: "the vault is locked, or an item needs a PIN, and nobody can be prompted"
    case .notFound: "no item, slot or rule matches"
    case .exists: "an item with this key, or a rule with this name, exists"
    case .ambiguous: "several items or rules match equally well, and one was needed"
    case .expired: "only expired items match, or list --expiring has listed any"
    case .conflict: "somebody else changed the item meanwhile, or both copies of a merge did"
    case .damaged: "the vault is damaged"
    case .noVault: "there is no vault at this path"
    case .authenticationFailed: "wrong passphrase or key"
    case .readOnly: "the vault cannot be written"
    case .incomplete:
      "import: done, but the vault lacks something of the file, which is listed; merge --dry-run:"
        + " the vaults are no copies, and differ"
    case .wentBack:
      "the vault was rolled back, has a divergent history, or is not the one last seen"
    case .policyRefused: "refused by policy, or the server is not trusted"
    case .usage: "wrong use of the command line"
    case .invalidData: "invalid input, or a file that is not a vault"
    case .missingInput: "input is missing"
    case .unavailable: "something that is needed is unavailable"
    case .resources: "not enough memory"
    case .cannotCreate: "a file cannot be created, or already exists"
    case .inputOutput: "reading or writing failed"
    case .busy: "another program held the vault's lock for too long"
    case .tooNew: "the vault's format is newer than this program"
    case .unsafePermissions:
      "others could read or change the vault, its folder or the key file, or put a file beside it"
    case .configuration: "the configuration is wrong"
    case .cannotRun: "exec: the command cannot be run"
    case .commandNotFound: "exec: there is no such command"
    case .interrupted: "interrupted"
    }
  }
}
