import Foundation
import ProgramTesting
import TestTraits
import Testing

/// A session that several processes share, with processes that are killed or work at once.
@Suite("a shared session of the program", .waiting, .needsKeyrings)
struct SharedSessionTests {
  private let workplace: ProgramFixture

  init() throws {
    workplace = try ProgramFixture()
    try #require(try workplace.run("vaultctl init -q; ln -s $MEMORY run").status == 0)
  }

  private func run(
    _ script: String, from location: SourceLocation = #_sourceLocation
  ) throws -> String {
    let functions = """
      export XDG_RUNTIME_DIR=$WORK/run
      add() { printf "$2" | vaultctl add -q --persistence session https://$1@a.example.com --password-stdin; }

      """
    let run = try workplace.run(functions + script)
    #expect(!run.wasSignalled, sourceLocation: location)
    return String(decoding: run.output + run.messages, as: UTF8.self)
  }

  @Test("eight processes that begin it at the same time all find what each of them stored")
  func eight() throws {
    let output = try run(
      """
      for round in 1 2 3; do
        for i in 1 2 3 4 5 6 7 8; do add ann$i secret$i & done; wait
        for i in 1 2 3 4 5 6 7 8; do vaultctl find -w ann$i@a.example.com; done | sort | tr '\\n' ' '
        ls -A run/vaultctl | wc -l; vaultctl lock -q; vaultctl list | wc -l
      done
      """)
    let secrets = (1...8).map { "secret\($0) " }.joined()
    #expect(output == String(repeating: secrets + "1\n0\n", count: 3))
  }

  @Test("a process killed while it begins one, or writes, leaves what was there, and others go on")
  func killed() throws {
    let output = try run(
      """
      printf word > word
      for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
        [ $i = 7 ] && add kept kept
        vaultctl add -q --persistence session https://ann$i@a.example.com --password-stdin < word 2> /dev/null &
        sleep 0.00$((i % 6 + 3)); kill -KILL $! 2> /dev/null; wait $! 2> /dev/null
      done
      vaultctl find -w kept@a.example.com; add last last; vaultctl find -w last@a.example.com
      vaultctl lock -q; add after after; vaultctl list | wc -l; ls -A run/vaultctl | wc -l; vaultctl lock -q
      """)
    #expect(output == "kept\nlast\n1\n1\n")
  }

  @Test("another login session shares it")
  func others() throws {
    let output = try run(
      """
      add ann secret; keyring-tool session vaultctl find -w ann@a.example.com
      keyring-tool session sh -c 'printf two | vaultctl modify -q ann@a.example.com --password-stdin'
      vaultctl find -w ann@a.example.com; vaultctl lock -q
      """)
    #expect(output == "secret\ntwo\n")
  }

  @Test("another user namespace has none", .needsUserNamespaces)
  func userNamespace() throws {
    let output = try run(
      """
      add ann secret
      unshare -Ur vaultctl find -q -w ann@a.example.com 2> /dev/null; echo $?; vaultctl lock -q
      """)
    #expect(output == "44\n")
  }

  @Test(
    "a folder on a disk has none",
    .enabled("temporary files are in memory here") {
      try ProgramFixture().run("stat -f -c %T .").output != Data("tmpfs\n".utf8)
    })
  func disk() throws {
    let output = try run(
      """
      mkdir -m 700 disk disk/vaultctl; ln -s $MEMORY disk/in-memory
      export XDG_RUNTIME_DIR=$WORK/disk; add ann secret; echo $?; vaultctl list | wc -l; ls -A disk/vaultctl
      rmdir disk/vaultctl; export XDG_RUNTIME_DIR=$WORK/disk/in-memory
      add ann secret; vaultctl find -w ann@a.example.com; vaultctl lock -q
      """)
    #expect(
      output == """
        69
        0
        secret
        vaultctl: error: the session cannot be shared, and would end with this command: the folder \
        \(workplace.folder.path)/disk is on a disk, and not in memory

        """)
  }

  @Test("a key of another boot opens none")
  func otherBoot() throws {
    let output = try run(
      """
      add ann secret
      id=$(vaultctl info --json | sed 's/.*"id":"\\([0-9a-f]*\\)".*/\\1/')
      file=$(basename run/vaultctl/*.session .session)
      name=vaultctl:$id:session:1:${file#*-}; keyring-tool count $name
      keyring-tool replant $name 100000 41 255; vaultctl list | wc -l; keyring-tool count $name
      """)
    #expect(output == "1\n0\n0\n")
  }
}
