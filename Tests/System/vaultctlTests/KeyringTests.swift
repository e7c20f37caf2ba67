import Foundation
import ProgramTesting
import TestTraits
import Testing

/// The program with keys that the real kernel keeps, from other places and beside other processes.
@Suite("remembered keys of the program", .waiting, .needsKeyrings)
struct KeyringTests {
  private let workplace: ProgramFixture

  /// Makes a vault with a passphrase, and `v`, which runs the program without a key file.
  init() throws {
    workplace = try ProgramFixture()
    let setUp = """
      umask 077; printf 'correct horse' > pass; printf 0123456789abcdef0123456789abcdef > filler
      printf '#!/bin/sh\\nunset VAULTCTL_KEY_FILE\\nexec vaultctl "$@"\\n' > bin/v; chmod 700 bin/v
      v init -q --passphrase-file pass --kdf 1:8
      printf secret | v add -q --passphrase-file pass https://ann@a.example.com --password-stdin
      """
    try #require(try workplace.run(setUp).status == 0)
  }

  /// Runs a script and returns what it printed.
  private func run(
    _ script: String, from location: SourceLocation = #_sourceLocation
  ) throws -> String {
    let run = try workplace.run(Self.variables + script)
    #expect(!run.wasSignalled, sourceLocation: location)
    return String(decoding: run.output + run.messages, as: UTF8.self)
  }

  /// The name of the vault's key, as the script asks for it.
  private static let variables = """
    id() { v info --json --passphrase-file pass | sed 's/.*"id":"\\([0-9a-f]*\\)".*/\\1/'; }
    find() { v find -q -w ann@a.example.com "$@"; }

    """

  @Test("another login session, with a keyring of its own, opens what was unlocked, and locks it")
  func session() throws {
    #expect(
      try run(
        """
        v unlock -q --passphrase-file pass
        keyring-tool session v find -w ann@a.example.com
        keyring-tool session keyring-tool session v status -q && echo open
        keyring-tool session v lock -q; v status -q || echo locked
        keyring-tool session v unlock -q --passphrase-file pass; find; v lock -q
        """) == "secret\nopen\nlocked\nsecret\n")
  }

  @Test(
    "a user namespace has keyrings of its own: there the vault is locked", .needsUserNamespaces)
  func userNamespace() throws {
    let output = try run(
      """
      v unlock -q --passphrase-file pass
      unshare -Ur v status -q || echo $?
      find; v lock -q
      """)
    #expect(output == "36\nsecret\n")
  }

  @Test(
    "lock --all forgets the keys of every vault, wherever their files are", .needsUserNamespaces)
  func lockAll() throws {
    // The keyring of a user namespace is this test's own.
    let output = try run(
      """
      v init -q --vault other --passphrase-file pass --kdf 1:8
      cat > script <<'END'
      v unlock -q --passphrase-file pass; v unlock -q --vault other --passphrase-file pass
      mv other away; v lock --all; v status -q; echo $?; mv away other; v status -q --vault other; echo $?
      v lock --all; v lock --all --json
      END
      unshare -Ur sh script
      """)
    #expect(
      output == """
        forgot 2 keys
        36
        36
        nothing was remembered
        {"ok":true,"forgotten_keys":0}

        """)
  }

  @Test("Git's state says nothing to who does not have the kernel's key", .needsUserNamespaces)
  func state() throws {
    let output = try run(
      """
      printf 'capability[]=state\\nprotocol=https\\nhost=a.example.com\\n' > request
      v git-credential get --passphrase-file pass < request > answer; cat request answer > echo
      v git-credential store < echo; echo $?; unshare -Ur v git-credential store < echo 2> /dev/null; echo $?
      """)
    #expect(output == "0\n36\n")
  }

  @Test(
    "who inherits a login's session and is another user, or in another user namespace, gets no key",
    .needsRoot, .needsUserNamespaces)
  func login() throws {
    let output = try run(
      Self.attack + """
        login "$(keys)" "setpriv --reuid 4242 --regid 4242 --clear-groups" "/usr/sbin/runuser -u nobody --" \
          "sudo -n -u nobody" "unshare -Ur"
        v lock -q
        """)
    let ways = output.split(separator: "\n")
    // sudo need not be installed.
    #expect(ways.count >= 3 && Set(ways) == ["inherited nothing"], "\(output)")
  }

  @Test("nor does another user where the kernel has no persistent keyring", .needsRoot)
  func loginWithOldKernel() throws {
    let output = try run(
      Self.attack + """
        cat > script <<'END'
        . ./functions; umask 022; keyring-tool unlink
        login "$(keys)" "setpriv --reuid 4242 --regid 4242 --clear-groups" "/usr/sbin/runuser -u nobody --"
        v find -q -w ann@a.example.com; keyring-tool session v find -q -w ann@a.example.com
        v lock -q; v status -q || echo locked
        END
        keyring-tool old-kernel sh script
        """)
    let both = "inherited nothing\ninherited nothing\n"
    #expect(output == both + "secret\nsecret\nlocked\n")
  }

  /// Two functions of the shell.
  ///
  /// `keys` makes a key of each kind, and prints their keyring and their numbers. `login` tries to
  /// read them in a session that su(1) and pam_keyinit(8) make, as each of several programs starts
  /// others. Before that it tries a key that any program of the user may have kept: that it can be
  /// read shows that the session is such a one.
  private static let attack =
    "cat > functions <<'END'\n" + variables + """
      keys() {
        v unlock -q --passphrase-file pass
        printf word | XDG_RUNTIME_DIR=$MEMORY v add -q --persistence session https://bob@b.example.com --password-stdin
        printf 'capability[]=state\\nprotocol=https\\nhost=a.example.com\\n' |
          v git-credential get --passphrase-file pass > answer
        own=$(keyring-tool numbers vaultctl:$(id))
        [ $(echo "$own" | wc -l) = 2 ] && grep -q '^state' answer || echo "not all were made" >&2
        echo $(keyring-tool keyring) $own $(keyring-tool numbers vaultctl:digest:)
      }
      login() {
        chmod 711 .; cp $(readlink -f bin/keyring-tool) tool; chmod 755 tool; export -p > environment
        echo "$1" > keys; shift
        cat > session <<'EOF'
      cd $0; . ./environment; bait=$(./tool bait bait:$$)
      for way in "$@"; do
        command -v ${way%% *} > /dev/null || continue
        echo $($way $WORK/tool attack 0 $bait | head -n 1) $($way $WORK/tool attack $(cat keys))
      done
      EOF
        su -l root -s /bin/sh -c "$(cat session)" -- $PWD "$@"
      }
      END
      . ./functions; umask 022

      """

  @Test(
    "a full quota remembers nothing: unlock says so, and other commands say nothing", .needsRoot)
  func fullQuota() throws {
    // A user that no other test is.
    let user = 50_000 + Int.random(in: 0..<10_000_000)
    #expect(
      try run(
        """
        mkdir -m 711 home; cp $(readlink -f bin/vaultctl) $(readlink -f bin/keyring-tool) home
        chmod 711 $WORK; mkdir -m 700 home/own; chown \(user):\(user) home/own
        as() { setpriv --reuid \(user) --regid \(user) --clear-groups env -u VAULTCTL_KEY_FILE \
          HOME=$WORK/home/own XDG_STATE_HOME=$WORK/home/own/state \
          VAULTCTL_VAULT=$WORK/home/own/vault "$@"; }
        p='VAULTCTL_PASSPHRASE=correct horse'; vaultctl=$WORK/home/vaultctl
        as "$p" $vaultctl init -q --kdf 1:8; as $WORK/home/KeyringTool fill
        as "$p" $vaultctl unlock -q; echo $?
        as $vaultctl doctor -q | grep remembered-keys | grep -Ec "may not fit|no key is remembered"
        as $vaultctl status -q; echo $?
        as "$p" $vaultctl list -q --remember; echo $?
        """) == """
          71
          1
          36
          0
          vaultctl: error: the kernel keeps no more keys of this user: Disk quota exceeded

          """)
  }

  @Test("a wrong key under the vault's name means a prompt and no damage, and is forgotten")
  func planted() throws {
    let output = try run(
      """
      v unlock -q --passphrase-file pass; name=vaultctl:$(id):1
      keyring-tool replant $name 100 5 1; v status; find; echo $?
      v verify -q --passphrase-file pass && keyring-tool count $name
      keyring-tool plant $name 100 < filler; find; echo $?
      v unlock -q --passphrase-file pass; find; v lock -q
      """)
    #expect(
      output == """
        \(workplace.folder.path)/vault: locked
        36
        0
        36
        secret
        vaultctl: error: \(workplace.folder.path)/vault is locked and there is no terminal to ask on
        vaultctl: error: \(workplace.folder.path)/vault is locked and there is no terminal to ask on

        """)
  }

  @Test("a damaged vault is damaged with a remembered key as with any other")
  func damaged() throws {
    let said = try run(
      """
      v unlock -q --passphrase-file pass
      head -c 3000 /dev/zero | tr '\\0' '\\377' |
        dd of=vault bs=1 seek=$((3 * 4096 + 1000)) conv=notrunc 2>/dev/null
      find; echo $?; find --passphrase-file pass; echo $?; v lock -q
      """)
    // Which rows SQLite still finds depends on the sealed bytes before them.
    let lines = said.split(separator: "\n")
    #expect(lines.prefix(2) == ["49", "49"])
    #expect(lines.count == 4 && lines[2] == lines[3] && lines[2].hasPrefix("vaultctl: error: "))
  }

  @Test("the machine's sleep since then, as its clock that counts it says, ends a key", .needsRoot)
  func sleep() throws {
    #expect(
      try run(
        """
        v unlock -q --passphrase-file pass; v status -q; echo $?
        env -u VAULTCTL_KEY_FILE unshare --time --boottime 1000 --fork vaultctl status -q; echo $?
        v status -q; echo $?
        """) == "0\n36\n36\n")
  }

  @Test("a key of another boot is not used, whatever the kernel's timeout")
  func otherBoot() throws {
    #expect(
      try run(
        """
        v unlock -q --passphrase-file pass; name=vaultctl:$(id):1
        keyring-tool replant $name 100000 41 255; keyring-tool count $name
        v status -q; echo $?; keyring-tool count $name
        """) == "1\n36\n0\n")
  }

  @Test("eight processes that unlock, find and lock at once see the secret or a lock, never else")
  func eightProcesses() throws {
    let output = try run(
      """
      v unlock -q --passphrase-file pass
      for i in 1 2 3 4 5 6 7 8; do
        (for j in 1 2 3 4 5 6; do
          [ $((i % 4)) = 0 ] && v lock -q
          [ $((i % 4)) = 1 ] && v unlock -q --passphrase-file pass
          found=$(find 2>/dev/null); echo "$found $?"
        done > out.$i 2> err.$i) &
      done
      wait; cat out.* | sort -u; cat err.* | sort -u
      v unlock -q --passphrase-file pass; found=$(find); echo "$found $?"; v lock -q; v status -q; echo " $?"
      """)
    #expect(output.hasSuffix("secret 0\n 36\n"))
    let lines = Set(output.split(separator: "\n"))
    #expect(lines.isSubset(of: [" 36", "secret 0"]), "\(output)")
  }

  @Test(
    "no system call of a client shows the key but the one that reads it, nor does /proc/keys",
    .disabled(if: Project.isSanitized, "a sanitizer's own threads do not bear it"))
  func calls() throws {
    let output = try run(
      """
      unset VAULTCTL_KEY_FILE
      strace -f -o unlock.trace -xx -s 4096 vaultctl unlock -q --passphrase-file pass
      strace -f -o find.trace -xx -s 4096 vaultctl find -q -w ann@a.example.com
      key=$(keyring-tool print vaultctl:$(id):1 | cut -c 3-66)
      part=$(echo $key | cut -c 1-24 | sed 's/\\(..\\)/\\\\\\\\x\\1/g')
      echo ${#key}; cat unlock.trace find.trace | grep "$part" | sed 's/(.*//; s/^[0-9]* *//' | sort | uniq -c
      grep -c $(echo $key | cut -c 1-24) /proc/keys; v lock -q
      """)
    let lines = output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(lines.prefix(2) == ["secret", "64"])
    #expect(lines.dropFirst(2).dropLast() == ["1 add_key", "1 keyctl"])
    #expect(lines.last == "0")
  }
}
