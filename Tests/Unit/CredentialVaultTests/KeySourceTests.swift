import VaultAdministration
import Glibc
import SecureMemory
import TestSupport
import Testing
import VaultCrypto
import VaultModel

@Suite("KeySource")
struct KeySourceTests {
  let folder: TemporaryFolder

  init() throws {
    StateFolder.useOwn()
    folder = try TemporaryFolder()
  }

  /// Creates a locked vault for a passphrase.
  private func vault(_ passphrase: String) throws -> Vault {
    let vault = try Vault.create(
      path: folder.file("own.vault"), key: .passphrase(Secret(passphrase)), cost: .minimum)
    try vault.lock()
    return vault
  }

  @Test(
    "one newline at the end of a passphrase's file is no part of it, and nothing else",
    arguments: [
      ("pass word", "pass word", true), ("pass word", "pass word\n", true),
      ("pass word", "pass word\r\n", true), ("pass word", "pass word\n\n", false),
      ("pass word", " pass word", false), ("pass word", "pass word ", false),
      ("pass word", "pass word\r", false), ("pass word", "pass word\r\r\n", false),
      ("pass word\n", "pass word\n\n", true),
      ("a\nb", "a\nb\n", true), ("é", "é\n", true),
      (String(repeating: "p", count: 5000), String(repeating: "p", count: 5000) + "\n", true),
      (String(repeating: "p", count: 4096), String(repeating: "p", count: 4096), true),
    ])
  func newline(passphrase: String, content: String, isRight: Bool) throws {
    let vault = try vault(passphrase)
    let path = try folder.write(Array(content.utf8), as: "passphrase")
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
    defer { Glibc.close(descriptor) }
    for source in [KeySource.passphraseFile(path), .passphraseDescriptor(descriptor)] {
      if isRight {
        try vault.unlock(with: source)
        #expect(try vault.state() == .unlocked)
        try vault.lock()
      } else {
        expect(.authenticationFailed) { try vault.unlock(with: source) }
      }
    }
    // Read to its end, and still open.
    #expect(fcntl(descriptor, F_GETFD) >= 0)
  }

  @Test("an empty passphrase is refused from everywhere, and its source is named")
  func empty() throws {
    let vault = try vault("right")
    let key = folder.file("key")
    try KeyFile.create(at: key)
    for content in ["", "\n", "\r\n"] {
      let path = try folder.write(Array(content.utf8), as: "passphrase")
      let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
      defer { Glibc.close(descriptor) }
      let rows: [(KeySource, VaultError.Code, String)] = [
        (.passphrase(Secret("")), .invalidArgument, "the passphrase is empty"),
        (.passphraseFile(path), .invalidData, "\(path) holds an empty passphrase"),
        (
          .passphraseDescriptor(descriptor), .invalidData,
          "descriptor \(descriptor) holds an empty passphrase"
        ),
        (.askedPassphrase { Secret("") }, .invalidData, "nothing was typed"),
        (
          .askedPassphrase { throw CancellationError() }, .interrupted,
          "a closure threw CancellationError"
        ),
      ]
      for (source, code, context) in rows {
        let entrances: [() throws -> Void] = [
          { try vault.unlock(with: source) }, { _ = try vault.keys.test(source) },
          { _ = try vault.keys.changePassphrase(from: source, to: .passphrase(Secret("new"))) },
          {
            _ = try vault.keys.changePassphrase(from: .passphrase(Secret("right")), to: source)
          },
          { _ = try Vault.create(path: folder.file("new.vault"), key: source) },
          {
            _ = try Vault.create(path: folder.file("new.vault"), key: .both(source, .keyFile(key)))
          },
          {
            _ = try Vault.create(path: folder.file("new.vault"), key: .both(.keyFile(key), source))
          },
          {
            _ = try VaultMaintenance.salvage(
              path: vault.path, to: folder.file("saved"), key: source)
          },
        ]
        for entrance in entrances {
          // A descriptor is read to its end.
          lseek(descriptor, 0, SEEK_SET)
          let error = #expect(throws: VaultError.self) { try entrance() }
          #expect(error?.code == code && error?.context == context)
        }
        try vault.unlock(with: .passphrase(Secret("right")))
        lseek(descriptor, 0, SEEK_SET)
        expect(code) { try vault.keys.add(source, cost: .minimum) }
        try vault.lock()
      }
    }
    #expect(try vault.keys.slots().count == 1)
    #expect(!KeyFile.isPresent(at: folder.file("new.vault")))
  }

  @Test("a passphrase comes through a pipe too, in pieces")
  func pipe() throws {
    let vault = try vault("in two pieces")
    var ends: [Int32] = [-1, -1]
    // Two descriptors are written.
    try #require(unsafe Glibc.pipe(&ends) == 0)
    defer { Glibc.close(ends[0]) }
    for piece in ["in two ", "pieces\n"] {
      // The bytes outlive the call.
      #expect(unsafe write(ends[1], piece, piece.utf8.count) == piece.utf8.count)
    }
    Glibc.close(ends[1])
    try vault.unlock(with: .passphraseDescriptor(ends[0]))
    #expect(try vault.state() == .unlocked)
  }

  @Test("a source that is missing, unreadable, too long or no key file says which")
  func refused() throws {
    let vault = try vault("right")
    let long = [UInt8](repeating: 0x70, count: 1 << 20 + 2)
    let rows: [(KeySource, VaultError.Code)] = [
      (.keyFile(folder.file("none")), .missingInput),
      (.passphraseFile(folder.file("none")), .missingInput),
      (.keyFile(folder.path), .inputOutput), (.passphraseFile(folder.path), .inputOutput),
      (.passphraseDescriptor(-1), .inputOutput),
      (.passphraseFile(try folder.write(long, as: "long")), .tooLarge),
      (.keyFile(try folder.write([], as: "empty")), .invalidData),
      (.keyFile(try folder.write([UInt8](repeating: 7, count: 32), as: "raw")), .invalidData),
      (.keyFile(try folder.write(Array("right\n".utf8), as: "text")), .invalidData),
    ]
    for (source, code) in rows {
      expect(code) { try vault.unlock(with: source) }
      expect(code) { _ = try Vault.create(path: folder.file("new.vault"), key: source) }
    }
    #expect(try vault.state() == .locked)
    #expect(!KeyFile.isPresent(at: folder.file("new.vault")))
  }

  @Test(
    "a key's file that others can use is refused, whatever it holds",
    arguments: [0o604, 0o620, 0o640, 0o644, 0o660, 0o610] as [mode_t])
  func permissions(mode: mode_t) throws {
    let vault = try vault("right")
    let path = try folder.write(Array("right\n".utf8), as: "passphrase")
    let key = folder.file("key")
    try KeyFile.create(at: key)
    for path in [path, key] {
      // The path is a C string for this call.
      try #require(unsafe chmod(path, mode) == 0)
    }
    expect(.unsafePermissions) { try vault.unlock(with: .passphraseFile(path)) }
    expect(.unsafePermissions) { try vault.unlock(with: .keyFile(key)) }
  }

  @Test(
    "a key's file of another user is refused",
    .enabled(if: geteuid() == 0, "only root can give a file to another user"))
  func owner() throws {
    let vault = try vault("right")
    let path = try folder.write(Array("right\n".utf8), as: "passphrase")
    let key = folder.file("key")
    try KeyFile.create(at: key)
    for path in [path, key] {
      // The path is a C string for each call.
      try #require(unsafe chmod(path, 0o600) == 0)
      try #require(unsafe chown(path, 65534, 65534) == 0)
    }
    expect(.unsafePermissions) { try vault.unlock(with: .passphraseFile(path)) }
    expect(.unsafePermissions) { try vault.unlock(with: .keyFile(key)) }
  }

  @Test(
    "a key file below a folder that everybody can write is refused, by links too, unless that is trusted"
  )
  func sharedFolder() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      func make(_ name: String, _ mode: mode_t) throws -> String {
        let path = folder.file(name)
        // The path is a C string for each call.
        guard unsafe mkdir(path, 0o700) == 0, unsafe chmod(path, mode) == 0 else { exit(1) }
        return path
      }
      let shared = try make("shared", 0o777)
      let own = try make("shared/own", 0o700)
      let safe = try make("safe", 0o700)
      func code(_ path: String) -> VaultError? {
        do throws(VaultError) {
          if !KeyFile.isPresent(at: path) { try KeyFile.create(at: path) }
          _ = try Vault.create(path: folder.file("vault/v"), key: .keyFile(path)).close()
          unsafe unlink(folder.file("vault/v"))
          return nil
        } catch {
          return error
        }
      }
      guard code("\(safe)/key") == nil else { exit(2) }
      guard let error = code("\(own)/key"), error.code == .unsafePermissions,
        error.remedy == .removeWriteAccess(path: shared, from: .others)
      else { exit(3) }
      // It is not made there either.
      guard !KeyFile.isPresent(at: "\(own)/key") else { exit(14) }
      // A link in it can be changed to lead elsewhere.
      guard unsafe symlink(safe, "\(shared)/link") == 0 else { exit(4) }
      guard code("\(shared)/link/key")?.code == .unsafePermissions else { exit(5) }
      // A link to it leads there.
      guard unsafe symlink(own, "\(safe)/link") == 0 else { exit(6) }
      guard code("\(safe)/link/key")?.code == .unsafePermissions else { exit(7) }
      // With the sticky bit nobody can rename another user's file; a group is the administrator's
      // responsibility.
      for mode in [0o1777, 0o770] as [mode_t] {
        guard unsafe chmod(shared, mode) == 0, code("\(own)/key") == nil else { exit(8) }
      }
      guard unsafe chmod(shared, 0o777) == 0 else { exit(9) }
      unsafe setenv("VAULTCTL_TRUSTED_FOLDERS", "/nonexistent:\(own):\(safe)", 1)
      guard code("\(own)/key")?.code == .unsafePermissions else { exit(10) }
      unsafe setenv("VAULTCTL_TRUSTED_FOLDERS", "/nonexistent:\(safe)/../shared/", 1)
      guard code("\(own)/key") == nil, code("\(safe)/link/key") == nil else { exit(11) }
      unsafe unsetenv("VAULTCTL_TRUSTED_FOLDERS")
      guard code("\(own)/key")?.code == .unsafePermissions else { exit(12) }
      VaultLocation.trust(shared)
      guard code("\(own)/key") == nil else { exit(13) }
    }
  }

  @Test("a new key file is 0600, opens its vault, and never replaces another")
  func keyFile() throws {
    let path = folder.file("key")
    #expect(!KeyFile.isPresent(at: path))
    try KeyFile.create(at: path)
    #expect(KeyFile.isPresent(at: path))
    var information = stat()
    // The path is a C string for this call.
    try #require(unsafe stat(path, &information) == 0)
    #expect(information.st_mode & 0o7777 == 0o600)
    let bytes = try folder.bytes(path)
    expect(.cannotCreate) { try KeyFile.create(at: path) }
    #expect(try folder.bytes(path) == bytes)
    expect(.cannotCreate) { try KeyFile.create(at: folder.file("none/key")) }
    try KeyFile.create(at: folder.file("second"))
    #expect(try folder.bytes(folder.file("second")) != bytes)
  }
}
