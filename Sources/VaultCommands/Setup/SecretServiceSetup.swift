import ChildPrograms
import CredentialVault
import VaultModel

/// The file by which the session bus starts `vaultctl-secret-service` for programs that use
/// libsecret.
struct SecretServiceSetup: Setup {
  static let name = "org.freedesktop.secrets"
  static let program = "vaultctl-secret-service"

  private let service: MarkedFile

  init() throws(VaultError) {
    let folder = try UserPlaces.folder("XDG_DATA_HOME", below: ".local/share")
    service = MarkedFile(
      path: "\(folder)/dbus-1/services/\(Self.name).service", setup: .secretService,
      text: """
        [D-BUS Service]
        Name=\(Self.name)
        Exec=\(try Self.command())

        """)
  }

  func text() -> String { "# \(service.file.path)\n\(service.text)" }

  func isApplied() throws(VaultError) -> Bool { try service.isApplied() }

  func apply() throws(VaultError) -> [String] { try MarkedFile.apply([service]) }

  func undo() throws(VaultError) -> [String] { try MarkedFile.undo([service]) }

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

  /// Returns the program, with the vault and key file that variables name now, which the bus does
  /// not know; the bus splits the line as a shell does.
  private static func command() throws(VaultError) -> String {
    var words: [String] = []
    for variable in ["VAULTCTL_VAULT", "VAULTCTL_KEY_FILE"] {
      guard let path = Environment.value(variable) else { continue }
      words.append(Hint.quoted("\(variable)=\(try VaultLocation.absolute(path))"))
    }
    if !words.isEmpty { words.insert("/usr/bin/env", at: 0) }
    let path = InstalledProgram.path(of: program) ?? "/usr/local/bin/\(program)"
    words.append(Hint.quoted(path))
    return words.joined(separator: " ")
  }
}
