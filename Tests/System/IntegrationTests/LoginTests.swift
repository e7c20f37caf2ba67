import Foundation
import Glibc
import ProgramTesting
import TestTraits
import Testing

/// Logins through PAM that unlock a vault, as the page on them says.
@Suite("Logging in", .waiting, .serialized)
struct LoginTests {
  private static let pamtester = Project.root.appending(
    path: ".build/servers/pamtester/usr/bin/pamtester")
  /// Whether this process may put files of its own in the place of the system's, and keep keys.
  private static let mayLogIn: Bool = {
    guard geteuid() == 0, FileManager.default.fileExists(atPath: pamtester.path) else {
      return false
    }
    do {
      let sandbox = try Sandbox()
      _ = try sandbox.makeVault()
      let doctor = try sandbox.run("vaultctl", "doctor")
      return doctor.lines.contains { $0.hasPrefix("ok") && $0.contains("remembered-keys") }
    } catch {
      return false
    }
  }()

  private static let preparation = """
    printf 'correct horse' >"$machine/pass"; chmod 644 "$machine/pass"
    user bash -c "umask 077; cat $machine/pass >~/p
      vaultctl init -q --passphrase-file ~/p --kdf 1:8; rm ~/p"
    install

    """

  private func run(_ script: String) throws -> Sandbox.Result {
    let sandbox = try Sandbox()
    let root = Project.root.path
    return try sandbox.run([
      "unshare", "--mount", "--propagation", "private", "sh", "-c",
      "cd \"$0\"; exec bash Tests/System/IntegrationTests/Programs/login_machine.sh \"$@\"", root,
      Project.products.appending(path: "vaultctl").path, Self.pamtester.path,
      Self.preparation + script,
    ])
  }

  @Test(
    "the right password unlocks the vault, a wrong one does not, and neither hinders the other",
    .enabled(if: mayLogIn), arguments: ["login", "sshd", "gdm-password", "lightdm"])
  func services(_ service: String) throws {
    let result = try run(
      """
      user vaultctl status -q && exit 3
      login \(service) wrong && exit 4
      user vaultctl status -q && exit 5
      login \(service) 'correct horse'
      user vaultctl list -q --no-prompt
      user vaultctl status
      user vaultctl lock -q --all
      """)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("unlocked: 8h without use, 8h at most"))
  }

  @Test("a real su unlocks it, for this user alone", .enabled(if: mayLogIn))
  func su() throws {
    let result = try run(
      """
      switch 'correct horse' "$machine/bin/vaultctl status"
      setpriv --reuid=65534 --regid=65534 --clear-groups env -i HOME="$machine/home" \
        "$machine/bin/vaultctl" status -q && exit 3
      user vaultctl lock -q --all
      """)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("unlocked: 8h"))
  }

  @Test(
    "after a change of the login's password the login goes on, and the vault stays locked",
    .enabled(if: mayLogIn))
  func changed() throws {
    let result = try run(
      """
      change 'battery staple'
      login login 'correct horse' && exit 3
      login login 'battery staple'
      user vaultctl status -q && exit 4
      printf 'battery staple' >"$machine/new"
      user vaultctl passwd -q --passphrase-fd 3 --new-passphrase-fd 4 3<"$machine/pass" 4<"$machine/new"
      login login 'battery staple'
      user vaultctl status -q
      user vaultctl lock -q --all
      """)
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test(
    "a time is that of the unlock, and the command of the unit for a sleep ends it",
    .enabled(if: mayLogIn))
  func time() throws {
    let result = try run(
      """
      sed -i 's|vaultctl-login$|& 15m|' /etc/pam.d/login
      login login 'correct horse'
      user vaultctl status
      user $(sed -n 's|^ExecStart=@bindir@/||p' Packaging/login/vaultctl-lock@.service)
      user vaultctl status -q && exit 3
      true
      """)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("unlocked: 15m"), "\(result.output)")
  }

  @Test(
    "a login without a password or without a vault goes on, and only the authentication unlocks",
    .enabled(if: mayLogIn))
  func others() throws {
    let result = try run(
      """
      hand() { PAM_TYPE=$1 PAM_USER=vaulttest "$machine/bin/vaultctl-login" || true; }
      hand auth </dev/null
      user vaultctl status -q && exit 3
      hand open_session <"$machine/pass"
      user vaultctl status -q && exit 4
      hand auth <"$machine/pass"
      user vaultctl status -q
      user vaultctl lock -q --all
      rm -r "$machine/home/.local"
      login login 'correct horse'
      [ ! -e "$machine/home/.local" ]
      """)
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test("systemd accepts the unit that locks before a sleep, whose command forgets all keys")
  func sleep() throws {
    let unit = try Project.text(of: "Packaging/login/vaultctl-lock@.service")
    #expect(unit.contains("\nBefore=sleep.target\n") && unit.contains("\nWantedBy=sleep.target\n"))
    let command = try #require(unit.firstMatch(of: /\nExecStart=@bindir@\/(.+)\n/)).1
    let sandbox = try Sandbox()
    try #require(try sandbox.makeVault().status == 0)
    let locked = try sandbox.run(command.split(separator: " ").map(String.init))
    #expect(locked.status == 0, "\(locked.errors)")
    guard FileManager.default.fileExists(atPath: "/usr/bin/systemd-analyze") else { return }
    let file = sandbox.home.appending(path: "vaultctl-lock@root.service")
    try unit.replacing("@bindir@", with: Project.products.path)
      .write(to: file, atomically: true, encoding: .utf8)
    let result = try sandbox.run("systemd-analyze", "--man=no", "verify", file.path)
    #expect(result.status == 0, "\(result.errors)")
  }
}
