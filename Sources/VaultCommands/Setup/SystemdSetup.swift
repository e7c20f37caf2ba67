import VaultAdministration
import Glibc
import VaultModel

/// Services and timers of systemd's user manager that back up the vault each night, and remove what
/// has expired each week.
struct SystemdSetup: FileSetup {
  static let timer = "vaultctl-backup.timer"
  static let purgeTimer = "vaultctl-purge.timer"

  let files: [MarkedFile]
  /// The folder of the backups.
  let backups: String
  /// The link that enabling the timer makes.
  private let enabling: String

  init() throws(VaultError) {
    let folder = try UserUnit.folder()
    backups =
      try UserPlaces.folder("XDG_DATA_HOME", below: ".local/share") + "/vaultctl/backups"
    let command = try Self.command()
    enabling = "\(folder)/timers.target.wants/\(Self.timer)"
    files = [
      MarkedFile(
        path: "\(folder)/vaultctl-backup.service", setup: .systemd,
        text: """
          [Unit]
          Description=Verified backup of the credential vault

          [Service]
          Type=oneshot
          UMask=0077
          ExecStartPre=/bin/mkdir -p \(UserUnit.quoted(backups))
          ExecStart=\(command) backup --no-prompt --keep 14 \(UserUnit.quoted(backups))

          """
      ),
      MarkedFile(
        path: "\(folder)/\(Self.timer)", setup: .systemd,
        text: """
          [Unit]
          Description=Backup of the credential vault each night

          [Timer]
          OnCalendar=*-*-* 03:00
          RandomizedDelaySec=1h
          Persistent=true

          [Install]
          WantedBy=timers.target

          """
      ),
      MarkedFile(
        path: "\(folder)/vaultctl-purge.service", setup: .systemd,
        text: """
          [Unit]
          Description=Removal of what the credential vault keeps no longer

          [Service]
          Type=oneshot
          UMask=0077
          ExecStart=\(command) purge --no-prompt

          """
      ),
      MarkedFile(
        path: "\(folder)/\(Self.purgeTimer)", setup: .systemd,
        text: """
          [Unit]
          Description=Weekly removal of what the credential vault keeps no longer

          [Timer]
          OnCalendar=weekly
          RandomizedDelaySec=6h
          Persistent=true

          [Install]
          WantedBy=timers.target

          """
      ),
    ]
  }

  func text() -> String {
    files.map { "# \($0.file.path)\n\($0.text)\n" }.joined()
      + """
      # For a service of the system, a key that only this machine can decrypt:
      #   systemd-creds encrypt --name=vaultctl.key KEYFILE /etc/credstore.encrypted/vaultctl.key
      # and in the service, which finds it without further settings:
      #   LoadCredentialEncrypted=vaultctl.key:/etc/credstore.encrypted/vaultctl.key

      """
  }

  /// Returns whether a unit is there, for this vault or another.
  func isPresent() throws(VaultError) -> Bool {
    for unit in files where try unit.isPresent() { return true }
    return false
  }

  /// Whether systemd starts the timer of the backup.
  ///
  /// Source: systemctl(1), enable: it links a unit below the target that wants it.
  var isEnabled: Bool {
    // A C string during the call.
    unsafe access(enabling, F_OK) == 0
  }

  func notes(afterApplying applies: Bool) -> [String] {
    applies
      ? [
        "\(Self.enablingCommand) starts it",
        "systemctl --user enable --now \(Self.purgeTimer) also removes what has expired, each week",
        "backups are kept in \(backups), on the same machine: copy them elsewhere too",
      ] : ["systemctl --user disable --now \(Self.timer) \(Self.purgeTimer), if they were started"]
  }

  func warnings() -> [String] {
    guard let path = Self.vaultPath, let text = Self.refusal(of: path) else { return [] }
    return ["\(text); \(Self.addingKeyFile)"]
  }

  /// The vault that the service backs up; nil if none is named, and there is no home folder.
  private static var vaultPath: String? {
    do throws(VaultError) {
      return try VaultLocation.find()
    } catch {
      return nil
    }
  }

  /// Returns why the service cannot open a vault: at night nobody types a passphrase.
  ///
  /// - Returns: Nil if a slot takes a key file, or the slots cannot be read for other causes.
  static func refusal(of path: String) -> String? {
    do throws(VaultError) {
      let slots = try Vault.openLocked(path: path).keys.slots()
      guard !slots.contains(where: { $0.kind == .keyFile }) else { return nil }
      return "the backup each night cannot open \(path): no slot takes a key file alone"
    } catch {
      return nil
    }
  }

  /// The command that adds a slot, with the place where every program finds its key file.
  static var addingKeyFile: String {
    "vaultctl slot add key-file --new-key-file " + Hint.quoted(KeyFile.defaultPath ?? "FILE")
  }

  static let enablingCommand = "systemctl --user enable --now \(timer)"

  /// Returns the program, with the vault and key file that variables name now, which the service
  /// will not have.
  private static func command() throws(VaultError) -> String {
    var command = UserUnit.quoted(OwnProgram.path)
    for (variable, option) in [("VAULTCTL_VAULT", "--vault"), ("VAULTCTL_KEY_FILE", "--key-file")] {
      guard let path = Environment.value(variable) else { continue }
      command += " \(option) \(UserUnit.quoted(try VaultLocation.absolute(path)))"
    }
    return command
  }
}

/// This program as others call it.
enum OwnProgram {
  /// Its path, whatever links lead to it.
  static var path: String {
    // realpath gives a string of its own, freed here.
    guard let path = unsafe realpath("/proc/self/exe", nil) else { return "vaultctl" }
    defer { unsafe free(path) }
    return unsafe String(cString: path)
  }
}
