import Foundation
import ProgramTesting
import TestTraits
import Testing

@Suite("a machine whose disk is full", .waiting)
struct FullDiskTests {
  /// Runs a script on a machine, which has a small disk in the folder `disk` with its vault, and
  /// returns its lines.
  private func run(
    _ script: String, on machine: Sandbox, _ address: String
  ) throws -> [[String]] {
    let start = """
      set -eu
      cd "$HOME"
      server=$1
      export VAULTCTL_VAULT="$HOME/disk/test.vault"
      mkdir disk
      # A program may mount in a namespace of its own.
      mount -t tmpfs -o size=4k,mode=0700 vault disk
      # With both names, the options of before are not repeated, which a namespace may not have.
      resize() { mount -t tmpfs -o "remount,size=$1" vault disk; }
      # Prints the status of a command, and the code of its error.
      try() {
        status=0
        "$@" --json >answer || status=$?
        code=$(sed -n 's/.*"error":{"code":"\\([a-z-]*\\)".*/\\1/p' answer)
        printf '%s %s ' $status ${code:-done}
      }

      """
    let result = try machine.run(
      ["unshare", "-Urm", "sh", "-c", start + script, "sh", address], limit: 600)
    try #require(result.status == 0, "\(result.errors)")
    return result.lines.map { $0.split(separator: " ").map(String.init) }
  }

  @Test("a clone that finds no room leaves no vault, and can be repeated when there is some")
  func clone() throws {
    let fleet = try Machines(1)
    try fleet.expect(fleet.add("ann", on: 0), 0)
    let large = try fleet.run(
      0, "vaultctl", "add", "-q", "https://bob@bob.example.com", "--password-stdin",
      input: String(repeating: "x", count: 20_000))
    try fleet.expect(large, 0)
    let machine = try Sandbox()
    try FileManager.default.copyItem(
      at: fleet.sandboxes[0].home.appending(path: "test.key"),
      to: machine.home.appending(path: "test.key"))
    // Page by page, until there is room for all.
    let lines = try run(
      """
      size=0 status=1
      while [ $status != 0 ] && [ $size -lt 400 ]; do
        size=$((size + 4))
        resize ${size}k
        try vaultctl fleet clone "$server"
        grep -c 'disk is full\\|No space left' answer || true
        # Nothing else is hidden there.
        ls -A disk
        echo .
      done
      vaultctl verify -q
      vaultctl find -q -w ann.example.com
      """, on: machine, fleet.server.address(fleet.database, tcp: true))
    let attempts = lines.split(separator: ["."]).map(Array.init)
    for attempt in attempts.dropLast(2) {
      // The last one may have room for the vault, and not for the file with the address.
      #expect([["74", "input-output", "1"], ["73", "cannot-create", "1"]].contains(attempt[0]))
      #expect(attempt.dropFirst().allSatisfy { $0 == ["test.vault.fleet"] })
    }
    #expect(attempts.count > 9)
    #expect(
      attempts.dropLast().last == [["0", "done", "0"], ["test.vault"], ["test.vault.fleet"]])
    #expect(attempts.last == [["one"]])
  }

  @Test("a change that the server has, and the full disk has not, comes later, and once")
  func change() throws {
    let fleet = try Machines()
    try fleet.expect(fleet.add("ann", on: 0), 0)
    let machine = fleet.sandboxes[1]
    // Each time with one page more. A large secret makes the file grow, at the very end.
    let lines = try run(
      """
      resize 16m
      vaultctl fleet clone -q "$server" >answer
      head -c 9000 /dev/zero | tr '\\0' x >secret
      for free in $(seq 0 4 80); do
        name=$(printf %s $free | tr 0-9 a-j)x
        resize $(($(df -k --output=used disk | tail -n 1) + free))k
        try vaultctl add "https://$name@$name.example.com" --password-file secret
        # What was there is found on the full disk, and nothing is damaged.
        try vaultctl find ann.example.com
        try vaultctl find $name.example.com
        # The next change meets the same disk, and may bring the one before.
        try vaultctl add "https://y$name@y$name.example.com" --password-file secret
        resize 16m
        try vaultctl fleet sync
        try vaultctl find $name.example.com
        try vaultctl find y$name.example.com
        try vaultctl verify
        echo $name
      done
      cp disk/test.vault test.vault
      """, on: machine, fleet.server.address(fleet.database, tcp: true))
    #expect(lines.count == 21)
    var (stored, codes) = (["ann"], Set<String>())
    for line in lines {
      try #require(line.count == 17)
      codes.insert(line[1])
      // What was there, the sync and the verification.
      for column in [2, 8, 14] { #expect(line[column...(column + 1)] == ["0", "done"]) }
      let (isHere, isLater) = (line[4] == "0", line[10] == "0")
      switch line[1] {
      case "done": #expect(isHere && isLater)
      case "outcome-unknown": #expect(line[0] == "74" && !isHere && isLater)
      // A machine that is too busy loses the lock, and has stored nothing.
      case "unavailable": #expect(line[0] == "69" && !isHere && !isLater)
      default: #expect(line[0...1] == ["74", "input-output"] && !isHere && !isLater)
      }
      let isNextLater = line[12] == "0"
      switch line[7] {
      case "done", "outcome-unknown": #expect(isNextLater)
      case "unavailable": #expect(line[6] == "69" && !isNextLater)
      default: #expect(line[6...7] == ["74", "input-output"] && !isNextLater)
      }
      if isLater { stored.append(line[16]) }
      if isNextLater { stored.append("y\(line[16])") }
    }
    #expect(codes.isSuperset(of: ["done", "outcome-unknown", "input-output"]))
    // On the other machine, too.
    try fleet.expect(fleet.run(0, "vaultctl", "fleet", "sync"), 0)
    #expect(try fleet.accounts(on: 0) == stored.sorted())
    #expect(try fleet.independentContents(on: 0) == fleet.independentContents(on: 1))
  }
}
