import BusMessages
import VaultModel

/// The errors of the Secret Service.
extension BusError {
  static let noSession = BusError(
    "org.freedesktop.Secret.Error.NoSession", "the session is not the caller's, or was closed")
  static let noSuchObject = BusError(
    "org.freedesktop.Secret.Error.NoSuchObject", "there is no such object")

  /// Translates an error of the vault, whose texts have no secrets.
  init(_ error: VaultError) {
    switch error.code {
    case .locked, .closed:
      self.init("org.freedesktop.Secret.Error.IsLocked", "the vault is locked")
    case .itemNotFound: self = .noSuchObject
    case .invalidArgument, .invalidData: self = .invalid(error.context)
    case .tooLarge, .outOfMemory: self = .bus("LimitsExceeded", error.context)
    case .unsupported: self = .unsupported(error.context)
    case .policyRefused, .readOnly: self = .bus("AccessDenied", error.context)
    case .busy: self = .bus("Timeout", error.context)
    default: self = .bus("Failed", error.context)
    }
  }
}
