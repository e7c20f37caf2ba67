import AttackSupport
import TestTraits
import Testing

/// The files that systemd makes for a service and lets the service's user read by an ACL.
@Suite(.waiting) struct CredentialFileTests {
  /// Returns the result of opening the fixture's vault with a key file in the credentials' folder.
  private func outcome(
    of fixture: VaultFixture, mode: UInt32, in folder: String, credentials: String
  ) throws -> String? {
    let key = fixture.folder("\(folder)/vaultctl.key")
    try File.makeFolder(fixture.folder(folder))
    try File.write(File.read(fixture.folder("key")), to: key, mode: mode)
    let driver = try DriverProcess(
      "probe", ["vault": fixture.vault, "key": key],
      environment: [
        "XDG_STATE_HOME": fixture.folder("state"),
        "CREDENTIALS_DIRECTORY": fixture.folder(credentials),
      ])
    let line = driver.line()
    _ = driver.lines()
    #expect(driver.wait() == .exited(0))
    return line
  }

  @Test(
    arguments: [
      (0o440, "open"), (0o400, "open"), (0o600, "open"), (0o444, "unsafe-permissions"),
      (0o460, "unsafe-permissions"), (0o450, "unsafe-permissions"), (0o604, "unsafe-permissions"),
    ] as [(UInt32, String)])
  func `A credential's group bits may let read, and nothing else`(
    mode: UInt32, expected: String
  ) throws {
    #expect(
      try outcome(of: VaultFixture(), mode: mode, in: "credentials", credentials: "credentials")
        == expected)
  }

  @Test(arguments: ["other", "credentials-2"])
  func `Elsewhere a key that its group can read is refused`(folder: String) throws {
    let found = try outcome(of: VaultFixture(), mode: 0o440, in: folder, credentials: "credentials")
    #expect(found == "unsafe-permissions")
  }
}
