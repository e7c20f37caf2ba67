import AttackSupport
import Foundation
import ProgramTesting
import SecureMemory
import Testing

/// Small files against every command that reads a vault: each ends soon, with little memory, and
/// writes no more than the file holds.
@Suite struct BombTests {
  /// The limits of a command: 200 MiB of memory, with its own code, and five seconds of a
  /// processor.
  ///
  /// One heap: glibc reserves 64 MiB of addresses for that of a second thread.
  private static let limits =
    "ulimit -v 204800; ulimit -t 5; ulimit -c 0; export MALLOC_ARENA_MAX=1;"
  private static let resources: Int32 = 71

  /// A home with a bomb as the vault, or as a copy of it.
  private struct Target {
    let sandbox: Sandbox
    let bomb: Bomb
    private let golden: GoldenVault

    init(_ bomb: Bomb) throws {
      self.bomb = bomb
      sandbox = try Sandbox()
      golden = try GoldenVault.chunked.get()
      try File.write(GoldenVault.keyFile("chunked"), to: path("test.key"))
      for folder in ["kept", "out"] {
        try FileManager.default.createDirectory(
          atPath: path(folder), withIntermediateDirectories: false,
          attributes: [.posixPermissions: 0o700])
      }
    }

    func path(_ name: String) -> String { sandbox.home.appending(path: name).path }

    func place(vault: Bool) throws {
      let name = vault ? "test.vault" : "copy.vault"
      try bomb.write(to: path(name))
      guard !vault else { return }
      try File.write(golden.bytes, to: path("test.vault"))
      try bomb.write(to: path("kept/test-20260101T000000Z.vault"))
    }

    /// Returns the bytes on the disk below the home.
    func used() throws -> Int {
      let names = try FileManager.default.subpathsOfDirectory(atPath: sandbox.home.path)
      return names.reduce(0) { sum, name in
        var status = stat()
        // The structure is ours, and the path ends in NUL.
        return unsafe lstat(path(name), &status) == 0 ? sum + Int(status.st_blocks) * 512 : sum
      }
    }

    /// Runs a command and returns what it must not do; nil if it does nothing of the kind.
    func fault(of command: String) throws -> String? {
      let before = try used()
      let most = "ulimit -f \(bomb.size / 512 + 16384);"
      let result = try sandbox.run(
        ["sh", "-c", BombTests.limits + most + "exec \(command)"],
        input: "protocol=https\nhost=h999.example\n\n")
      let written = try used() - before
      guard
        result.status > 127 || result.status == BombTests.resources
          || result.errors.contains("too large") || written > bomb.held + 1 << 20
      else { return nil }
      return
        "\(bomb.name): \(command): \(result.status), wrote \(written): \(result.errors.prefix(300))"
    }
  }

  private static let ofVault = [
    "vaultctl list -q", "vaultctl find -s h999.example", "vaultctl info", "vaultctl verify",
    "vaultctl slot list", "vaultctl doctor", "vaultctl history h999.example", "vaultctl log",
    "vaultctl backup out", "vaultctl salvage saved", "git-credential-vaultctl get",
    "docker-credential-vaultctl list", "vaultctl compact", "vaultctl rekey -q",
    "vaultctl add -q -s new.example --generate",
  ]
  private static let ofCopy = [
    "vaultctl restore --check copy.vault", "vaultctl verify --backup copy.vault",
    "vaultctl merge --dry-run copy.vault", "vaultctl merge --prefer ours copy.vault",
    "vaultctl backup --keep 1 kept", "vaultctl restore --vault other copy.vault",
    "vaultctl restore copy.vault",
  ]

  /// A sanitizer maps more than the limit for itself.
  @Test(.disabled(if: Project.isSanitized))
  func `No file makes a command run on, take memory or fill the disk`() throws {
    let bombs = try Bomb.all()
    let faults = Lock<[String]>([])
    let next = Lock(0)
    DispatchQueue.concurrentPerform(iterations: 2) { _ in
      while true {
        let index = next.withLock { number in
          defer { number += 1 }
          return number
        }
        guard index < bombs.count else { return }
        do {
          let target = try Target(bombs[index])
          try target.place(vault: true)
          for command in Self.ofVault {
            if let fault = try target.fault(of: command) { faults.withLock { $0.append(fault) } }
          }
          try target.place(vault: false)
          for command in Self.ofCopy {
            if let fault = try target.fault(of: command) { faults.withLock { $0.append(fault) } }
          }
        } catch {
          faults.withLock { $0.append("\(bombs[index].name): the test itself: \(error)") }
        }
      }
    }
    #expect(faults.withLock { $0 } == [])
  }
}
