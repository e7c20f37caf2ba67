import TestTraits
import Foundation
import ProgramTesting
import Testing

@testable import VaultCommands

/// No program sees a secret in the arguments or the environment of another one.
@Suite("arguments and environments", .waiting)
struct ExposureTests {
  /// A command, and the number of programs that may have the secret in their environment.
  struct Use: Sendable, CustomTestStringConvertible {
    let command: String
    var allowed = 0

    var testDescription: String { command }
  }

  /// The secret, of each test its own: they run at the same time, and look at all processes.
  private let secret = "Zq7-only-\(UUID().uuidString)"

  static let uses = [
    Use(command: "vaultctl find https://ann@a.example.com -w"),
    Use(command: "vaultctl exec --fd 3=$REF --file F=$REF -- sh -c 'cat <&3; cat $F; ./scan'"),
    Use(command: "vaultctl exec --env T=$REF -- sh -c './scan'", allowed: 2),
    Use(
      command: """
        printf 'T={{ vault "%s" }}\\n' "$REF" > e; vaultctl exec --env-file e -- sh -c './scan'
        """, allowed: 2),
    Use(command: "vaultctl find --raw $REF; vaultctl find --curl $REF"),
    Use(
      command: """
        vaultctl ls $REF | vaultctl pick --null --clear 1; ./scan
        while [ -s clip ]; do sleep 0.1; done; vaultctl generate -q -c $REF --clear 0
        """),
    Use(command: "vaultctl inject -i template -o result; ./scan"),
    Use(command: "vaultctl inject < template"),
    Use(
      command: """
        mkdir asker; cp bin/asking-tool asker/git
        asker/git vaultctl-askpass "Password for 'https://ann@a.example.com': "
        """),
    Use(command: "vaultctl copy $REF --clear 1; ./scan; while [ -s clip ]; do sleep 0.1; done"),
    Use(command: "vaultctl generate; vaultctl add -q https://new@a.example.com --generate"),
    Use(
      command: """
        vaultctl add -q https://b@a.example.com --password-stdin < secret
        vaultctl add -q https://c@a.example.com --password-fd 3 3< secret
        vaultctl modify -q $REF --password-file secret --refresh-token-file secret
        EDITOR=true vaultctl edit -q -g $REF; printf other | vaultctl modify -q $REF --password-stdin
        vaultctl history $REF --show 1; vaultctl revert -q $REF
        vaultctl find -g $REF; vaultctl show -g $REF
        """),
    Use(
      command: """
        vaultctl add -q https://p@p.example.com --password-file secret --new-pin-fd 3 3< secret
        vaultctl find -w p.example.com --pin-fd 3 3< secret
        printf 12345 | vaultctl pin change -q p.example.com --pin-fd 3 --new-pin-fd 0 3< secret
        printf 12345 | vaultctl pin remove -q p.example.com --pin-fd 0
        vaultctl pin set -q p.example.com --new-pin-fd 3 3< secret
        """),
    Use(
      command: """
        printf 'otpauth://totp/%s?secret=GEZDGNBVGY3TQOJQ' "$(cat secret)" > otp
        vaultctl add -q https://t@t.example.com --password-file secret --totp-file otp
        vaultctl totp t.example.com; vaultctl totp --copy --clear 0 t.example.com
        vaultctl modify -q t.example.com --totp-fd 3 3< otp; vaultctl show -g t.example.com
        vaultctl init -q --vault team; vaultctl move -q t.example.com --to team
        """),
    Use(
      command: """
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k -out c -subj /CN=t
        openssl pkcs12 -export -in c -inkey k -passout file:secret -out p12
        vaultctl identity import -q -a t p12 --file-passphrase-file secret
        vaultctl identity export -q t out --file-passphrase-fd 3 3< secret
        vaultctl identity run t -- ./scan
        vaultctl identity import -q c -a u --key pkcs11:object=o --file-passphrase-file secret
        vaultctl identity list; vaultctl identity show u; vaultctl identity show u --json
        """),
    Use(
      command: """
        vaultctl export -q json out.json; vaultctl export netrc --stdout 2>&1
        printf 'https://ann:%s@d.example.com\\n' "$(cat secret)" > lines
        vaultctl import -q git-credentials lines; vaultctl import -q auto - < out.json
        vaultctl import -q json out.json --report
        """),
    Use(
      command: """
        vaultctl init -q --vault p --both --passphrase-file secret --key-file pkey --kdf 1:8
        vaultctl slot add passphrase -q --new-passphrase-file secret --kdf 1:8
        vaultctl slot test -q --passphrase-fd 3 3< secret
        vaultctl passwd -q --passphrase-file secret --new-passphrase-file secret --kdf 1:8
        vaultctl unlock -q --passphrase-file secret || true; vaultctl lock -q
        vaultctl key; vaultctl slot add recovery -q > code; vaultctl slot test -q --recovery-file code
        cp vault copy; vaultctl merge -q copy; vaultctl backup -q saved; vaultctl restore -q saved
        vaultctl salvage -q kept
        vaultctl rekey -q --keep-passphrase-file secret --keep-recovery-file code
        """),
    Use(
      command: """
        printf 'protocol=https\\nhost=e.example.com\\nusername=e\\npassword=%s\\n' "$(cat secret)" > lines
        for action in store get erase; do vaultctl git-credential $action < lines; done
        printf '{"ServerURL":"f.example.com","Username":"f","Secret":"%s"}' "$(cat secret)" |
          vaultctl docker-credential store
        for action in get erase; do printf f.example.com | vaultctl docker-credential $action; done
        """),
  ]

  /// The commands that neither take nor give a secret, beyond opening the vault; `copy` runs
  /// `clear-clipboard`, and gives it a hash.
  private static let others: Set<CommandName> = [
    .list, .search, .explain, .remove, .trash, .log, .defaultUser, .policy, .purge, .status, .info,
    .verify, .compact, .migrate, .doctor, .searchList, .config, .setup, .help, .completion,
    .complete, .version, .clearClipboard, .watchTerminal, .trust, .fleet,
  ]

  @Test(
    "every command that takes or gives a secret is one of those", arguments: CommandName.allCases)
  func commands(_ name: CommandName) {
    let calls = ["vaultctl \(name.rawValue)", "vaultctl-\(name.rawValue)"]
    let isUsed = Self.uses.contains { use in calls.contains { use.command.contains($0) } }
    #expect(isUsed != Self.others.contains(name))
  }

  /// Makes a vault with the secret, programs of a desktop, and one that looks at all processes.
  private func workplace(of use: Use) throws -> ProgramFixture {
    let workplace = try ProgramFixture()
    let folder = workplace.folder
    try Data("umask 077\n\(use.command)\n".utf8).write(to: folder.appending(path: "use"))
    try Data(secret.utf8).write(to: folder.appending(path: "secret"))
    try Data("x {{ vault \"https://ann@a.example.com\" }}\n".utf8)
      .write(to: folder.appending(path: "template"))
    // It lists the processes that have the secret, which is in none of its own arguments.
    // One program for all of them: a slow scan is itself what the processes under test wait for.
    let scan = """
      #!/bin/sh
      grep -slazFf $WORK/secret /proc/[0-9]*/cmdline /proc/[0-9]*/environ >> $WORK/seen
      true
      """
    let setUp = """
      umask 077; chmod 600 secret; vaultctl init -q; vaultctl add -q https://ann@a.example.com --password-file secret
      cat > scan <<'END'
      \(scan)
      END
      printf '#!/bin/sh\\n$WORK/scan; [ "$1" ] && : > clip || cat > clip\\n' > bin/wl-copy
      printf '#!/bin/sh\\n$WORK/scan; cat $WORK/clip\\n' > bin/wl-paste
      sed -i 's| clip| $WORK/clip|g' bin/wl-copy
      chmod 700 scan bin/wl-*
      """
    let made = try workplace.run(setUp)
    try #require(made.status == 0, "\(String(decoding: made.messages, as: UTF8.self))")
    return workplace
  }

  private static let variables =
    "WAYLAND_DISPLAY=none REF=https://ann@a.example.com;"
    + " export WAYLAND_DISPLAY REF; "

  @Test("no process has the secret in /proc while a command runs", arguments: uses)
  func processes(_ use: Use) throws {
    let workplace = try workplace(of: use)
    // Also all the time, beside the places at which the programs themselves look.
    let run = try workplace.run(
      Self.variables
        + "(while [ ! -e end ]; do ./scan; done) & sh -e use; status=$?; touch end; wait; exit $status"
    )
    #expect(run.status == 0, "\(String(decoding: run.messages, as: UTF8.self))")
    let seen = workplace.folder.appending(path: "seen")
    let files = (try? String(contentsOf: seen, encoding: .utf8)) ?? ""
    let lines = files.split(separator: "\n")
    #expect(lines.allSatisfy { $0.hasSuffix("/environ") })
    #expect(lines.isEmpty == (use.allowed == 0))
  }

  @Test(
    "no system call starts a program with the secret",
    .disabled(if: Project.isSanitized, "a sanitizer's own threads do not bear it"),
    arguments: uses)
  func calls(_ use: Use) throws {
    let workplace = try workplace(of: use)
    let run = try workplace.run(
      Self.variables + "strace -f -v -s 100000 -e trace=execve,execveat -o calls sh -e use")
    #expect(run.status == 0, "\(String(decoding: run.messages, as: UTF8.self))")
    let calls = try String(
      contentsOf: workplace.folder.appending(path: "calls"), encoding: .utf8
    ).split(separator: "\n").filter { $0.contains("execve") }
    #expect(calls.contains { $0.contains("\"vaultctl") })
    let exposed = calls.filter { $0.contains(secret) }
    #expect(exposed.isEmpty == (use.allowed == 0), "\(exposed.count)")
    // Only the environment of exec's own command and of what it starts.
    #expect(exposed.allSatisfy { $0.contains("\"T=\(secret)\"") })
  }
}
