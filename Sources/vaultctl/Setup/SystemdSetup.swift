import CredentialVault
import Glibc
import SecureMemory
import VaultModel

/// A service and a timer of systemd's user manager that back up the vault each night.
struct SystemdSetup: Setup {
  private let units: [(file: SetupFile, text: String)]

  init() throws(VaultError) {
    let folder = try UserPlaces.folder("XDG_CONFIG_HOME", below: ".config") + "/systemd/user"
    let backups =
      try UserPlaces.folder("XDG_DATA_HOME", below: ".local/share") + "/vaultctl/backups"
    units = [
      (
        SetupFile(path: "\(folder)/vaultctl-backup.service"),
        """
        [Unit]
        Description=Verified backup of the credential vault

        [Service]
        Type=oneshot
        UMask=0077
        ExecStartPre=/bin/mkdir -p \(Self.quoted(backups))
        ExecStart=\(try Self.command()) backup --no-prompt --keep 14 \(Self.quoted(backups))

        """
      ),
      (
        SetupFile(path: "\(folder)/vaultctl-backup.timer"),
        """
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
    ]
  }

  func text() -> String {
    units.map { "# \($0.file.path)\n\($0.text)\n" }.joined()
      + """
      # For a service of the system, a key that only this machine can decrypt:
      #   systemd-creds encrypt --name=vaultctl.key KEYFILE /etc/credstore.encrypted/vaultctl.key
      # and in the service, which finds it without further settings:
      #   LoadCredentialEncrypted=vaultctl.key:/etc/credstore.encrypted/vaultctl.key

      """
  }

  func isApplied() throws(VaultError) -> Bool {
    for unit in units where try !isThere(unit, or: .cannotCreate) { return false }
    return true
  }

  func apply() throws(VaultError) -> [String] {
    // All are looked at before the first is written.
    var missing: [(file: SetupFile, text: String)] = []
    for unit in units where try !isThere(unit, or: .cannotCreate) { missing.append(unit) }
    for unit in missing { try unit.file.replace(with: [Secret(unit.text)]) }
    return missing.map(\.file.path)
  }

  func undo() throws(VaultError) -> [String] {
    var present: [(file: SetupFile, text: String)] = []
    for unit in units where try isThere(unit, or: .conflict) { present.append(unit) }
    for unit in present { try unit.file.remove(leaving: "") }
    return present.map(\.file.path)
  }

  func notes(afterApplying applies: Bool) -> [String] {
    [
      applies
        ? "systemctl --user enable --now vaultctl-backup.timer starts it"
        : "systemctl --user disable --now vaultctl-backup.timer, if it was started"
    ]
  }

  /// Returns whether a unit is there as ``apply()`` writes it.
  ///
  /// - Throws: An error with `code` if another file has its name.
  private func isThere(
    _ unit: (file: SetupFile, text: String), or code: VaultError.Code
  ) throws(VaultError) -> Bool {
    guard let text = try unit.file.read() else { return false }
    guard text.isEqual(to: Secret(unit.text)) else {
      throw VaultError(code, "\(unit.file.path) is there and differs; it is left as it is")
    }
    return true
  }

  /// Returns the program, with the vault and key file that variables name now, which the service
  /// will not have.
  private static func command() throws(VaultError) -> String {
    var command = quoted(program())
    for (variable, option) in [("VAULTCTL_VAULT", "--vault"), ("VAULTCTL_KEY_FILE", "--key-file")] {
      guard let path = Environment.value(variable) else { continue }
      command += " \(option) \(quoted(try VaultLocation.absolute(path)))"
    }
    return command
  }

  private static func program() -> String {
    // realpath gives a string of its own, freed here.
    guard let path = unsafe realpath("/proc/self/exe", nil) else { return "vaultctl" }
    defer { unsafe free(path) }
    return unsafe String(cString: path)
  }

  /// Returns one word of a unit's command line.
  ///
  /// Source: systemd.service(5), systemd.unit(5).
  private static func quoted(_ word: String) -> String {
    let escaped = word.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      .replacing("%", with: "%%").replacing("$", with: "$$")
    return escaped == word && !word.contains(" ") ? word : "\"\(escaped)\""
  }
}
