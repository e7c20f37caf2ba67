import CredentialVault
import Glibc
import SecureMemory
import VaultModel

/// A service and a timer of systemd's user manager that back up the vault each night.
struct SystemdSetup: Setup {
  /// The start of a unit's first line, before the checksum of the others: a unit whose checksum is
  /// right is as setup wrote it, for whatever vault.
  private static let mark = "# vaultctl setup systemd --undo removes this file if unchanged: "

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
    for unit in units where try !isThere(unit) { return false }
    return true
  }

  func apply() throws(VaultError) -> [String] {
    // All are looked at before the first is written.
    var missing: [(file: SetupFile, text: String)] = []
    for unit in units where try !isThere(unit) { missing.append(unit) }
    for unit in missing { try unit.file.replace(with: [Self.marked(unit.text)]) }
    return missing.map(\.file.path)
  }

  func undo() throws(VaultError) -> [String] {
    var made: [SetupFile] = []
    for unit in units where try present(unit.file, or: .conflict) != nil { made.append(unit.file) }
    for file in made { try file.remove(leaving: "") }
    return made.map(\.path)
  }

  func notes(afterApplying applies: Bool) -> [String] {
    [
      applies
        ? "systemctl --user enable --now vaultctl-backup.timer starts it"
        : "systemctl --user disable --now vaultctl-backup.timer, if it was started"
    ]
  }

  /// Returns whether a unit is there as ``apply()`` writes it now.
  ///
  /// - Throws: ``VaultError/Code/cannotCreate`` if another file has its name.
  private func isThere(
    _ unit: (file: SetupFile, text: String)
  ) throws(VaultError) -> Bool {
    try present(unit.file, or: .cannotCreate)?.isEqual(to: Self.marked(unit.text)) ?? false
  }

  /// Returns a unit that ``apply()`` wrote, also for another vault; nil if there is no file.
  ///
  /// - Throws: An error with `code` if another file has its name, or somebody changed it.
  private func present(
    _ file: SetupFile, or code: VaultError.Code
  ) throws(VaultError) -> Secret? {
    guard let text = try file.read() else { return nil }
    let end = text.index(of: "\n").map { $0 + 1 } ?? text.count
    let rest = text.slice(end..<text.count).text
    guard text.isEqual(to: Self.marked(rest)) else {
      throw VaultError(code, "\(file.path) is there and differs; it is left as it is")
    }
    return text
  }

  /// Returns a unit with its first line; FNV-1a finds changes that nobody hides.
  private static func marked(_ text: String) -> Secret {
    let checksum: UInt64 = text.utf8.reduce(0xCBF2_9CE4_8422_2325) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    return Secret("\(mark)\(String(checksum, radix: 16))\n\(text)")
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
