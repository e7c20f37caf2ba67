import VaultTerminal
import CredentialVault
import VaultModel

/// The files by which the session bus starts `vaultctl-secret-service` for programs that use
/// libsecret.
///
/// A bus that systemd's user manager runs has it start the unit, so that `systemctl` and the
/// journal know the program. Every other bus runs the command itself, and ignores the unit's name.
struct SecretServiceSetup: FileSetup {
  static let name = "org.freedesktop.secrets"
  static let program = "vaultctl-secret-service"
  static let unit = "vaultctl-secret-service.service"

  let files: [MarkedFile]

  init() throws(VaultError) {
    let folder = try UserPlaces.folder("XDG_DATA_HOME", below: ".local/share")
    let command = try Self.command()
    files = [
      // First, because the other one names it.
      MarkedFile(
        path: "\(try UserUnit.folder())/\(Self.unit)", setup: .secretService,
        text: """
          [Unit]
          Description=Secret Service of the credential vault

          [Service]
          Type=dbus
          BusName=\(Self.name)
          UMask=0077
          ExecStart=\(command.map(UserUnit.quoted).joined(separator: " "))

          """
      ),
      MarkedFile(
        path: "\(folder)/dbus-1/services/\(Self.name).service", setup: .secretService,
        text: """
          [D-BUS Service]
          Name=\(Self.name)
          Exec=\(command.map(Hint.quoted).joined(separator: " "))
          SystemdService=\(Self.unit)

          """
      ),
    ]
  }

  func text() -> String { files.map { "# \($0.file.path)\n\($0.text)" }.joined(separator: "\n") }

  func notes(afterApplying applies: Bool) throws(VaultError) -> [String] {
    guard applies else { return [] }
    guard InstalledProgram.path(of: Self.program) != nil else {
      return ["\(Self.program) is not on the PATH, and the session bus does not find it"]
    }
    return [
      "a session bus that runs reads it with its next start, or now: busctl --user call"
        + " org.freedesktop.DBus / org.freedesktop.DBus ReloadConfig"
    ]
  }

  /// Returns the words that start the program, with the vault and key file that variables name now,
  /// which neither the bus nor systemd knows.
  private static func command() throws(VaultError) -> [String] {
    var words: [String] = []
    for variable in ["VAULTCTL_VAULT", "VAULTCTL_KEY_FILE"] {
      guard let path = Environment.value(variable) else { continue }
      words.append("\(variable)=\(try VaultLocation.absolute(path))")
    }
    if !words.isEmpty { words.insert("/usr/bin/env", at: 0) }
    return words + [InstalledProgram.path(of: program) ?? "/usr/local/bin/\(program)"]
  }
}
