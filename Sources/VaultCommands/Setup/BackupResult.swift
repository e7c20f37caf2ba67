import VaultReports
import CredentialVault
import Glibc
import VaultModel

/// The check of the backup that systemd's user manager makes each night.
enum BackupResult {
  private static let apply = "vaultctl setup systemd --apply"

  /// Checks the units that `setup systemd` makes for the vault at a path; nil without a user
  /// manager that could start them.
  static func systemd(for path: String) -> SetupResult? {
    do throws(VaultError) {
      let setup = try SystemdSetup()
      guard try setup.isPresent() else {
        return isRunning
          ? SetupResult("systemd", .note, "there is no backup each night", hint: apply) : nil
      }
      guard try setup.isApplied() else {
        return SetupResult(
          "systemd", .warning, "the backup each night is of another vault, or by another program",
          hint: apply)
      }
      // Before the timer, which would start what cannot work.
      if let refusal = SystemdSetup.refusal(of: path) {
        return SetupResult("systemd", .warning, refusal, hint: SystemdSetup.addingKeyFile)
      }
      guard setup.isEnabled else {
        return SetupResult(
          "systemd", .warning, "the backup each night is set up, and its timer is not enabled",
          hint: SystemdSetup.enablingCommand)
      }
      return SetupResult(
        "systemd", .ok,
        "the vault is backed up each night, in \(setup.backups); copy them elsewhere too")
    } catch {
      // A unit that the user changed is not a fault.
      return SetupResult(
        "systemd", error.code == .cannotCreate ? .note : .warning, error.context)
    }
  }

  /// Whether the user has a manager.
  ///
  /// Source: sd_booted(3) looks for the folder of the system's manager in the same way.
  private static var isRunning: Bool {
    guard let folder = Environment.value("XDG_RUNTIME_DIR") else { return false }
    // A C string during the call.
    return unsafe access("\(folder)/systemd", F_OK) == 0
  }
}
