import AttackSupport
import VaultAdministration
import Glibc
import SecureMemory
import TestSupport
import Testing
import VaultCrypto
import VaultModel

/// Each in a process of its own, because the environment belongs to all threads.
@Suite("Vault.open() finds vault and key by the environment")
struct DiscoveryTests {
  @Test("VAULTCTL_VAULT, then XDG_DATA_HOME, then the home folder; relative XDG paths are ignored")
  func location() async {
    await #expect(processExitsWith: .success) { () async throws in
      Environment.clear()
      expect(.configuration) { _ = try VaultLocation.find() }
      expect(.configuration) { _ = try Vault.open() }
      Environment.set("HOME", "/home/ann")
      #expect(try VaultLocation.find() == "/home/ann/.local/share/vaultctl/default.vault")
      Environment.set("XDG_DATA_HOME", "relative")
      #expect(try VaultLocation.find() == "/home/ann/.local/share/vaultctl/default.vault")
      Environment.set("XDG_DATA_HOME", "/data")
      #expect(try VaultLocation.find() == "/data/vaultctl/default.vault")
      Environment.set("VAULTCTL_VAULT", "")
      #expect(try VaultLocation.find() == "/data/vaultctl/default.vault")
      Environment.set("VAULTCTL_VAULT", "own.vault")
      #expect(try VaultLocation.find() == "own.vault")
    }
  }

  @Test("a vault is made and opened again where the environment says, without an argument")
  func open() async {
    await #expect(processExitsWith: .success) {
      let folder = try Environment.begin()
      try KeyFile.create(at: folder.file("key"))
      Environment.set("VAULTCTL_KEY_FILE", folder.file("key"))
      expect(.vaultNotFound) { _ = try Vault.open() }
      let key = try #require(try KeySource.find())
      let vault = try Vault.create(key: key)
      #expect(vault.path == folder.file("data/vaultctl/default.vault"))
      try vault.set(credential("ann", "1"), for: space())
      try vault.close()
      #expect(try Vault.open().known(space()) == [CredentialValues("ann", "1")])
      // The records are below the state folder.
      #expect(KeyFile.isPresent(at: folder.file("state/vaultctl")))
    }
  }

  @Test("without any key the vault is open and locked")
  func noKey() async {
    await #expect(processExitsWith: .success) {
      let folder = try Environment.begin()
      try KeyFile.create(at: folder.file("key"))
      try Vault.create(key: .keyFile(folder.file("key"))).close()
      #expect(try KeySource.find() == nil)
      let vault = try Vault.open()
      #expect(try vault.state() == .locked)
      expect(.locked) { _ = try vault.credentials(for: space()) }
      try vault.unlock(with: .keyFile(folder.file("key")))
      #expect(try vault.credentials(for: space()).isEmpty)
    }
  }

  @Test("a key file stands before a passphrase's file, that before systemd's, that before the rest")
  func order() async {
    await #expect(processExitsWith: .success) {
      let folder = try Environment.begin()
      func text(_ source: KeySource?) -> String {
        switch source {
        case .keyFile(let path): "key \(path)"
        case .passphraseFile(let path): "passphrase \(path)"
        case .passphraseVariable(let name): "variable \(name)"
        case .both(let first, let second): "\(text(first)) and \(text(second))"
        case nil: "none"
        default: "another"
        }
      }
      func found() throws -> String { text(try KeySource.find()) }
      #expect(try found() == "none")
      Environment.set("CREDENTIALS_DIRECTORY", folder.path)
      #expect(try found() == "none")
      Environment.set("VAULTCTL_PASSPHRASE", "12345")
      #expect(try found() == "variable VAULTCTL_PASSPHRASE")
      // It is wiped when it is read.
      let read = try #require(try KeySource.find()).loaded()
      guard case .passphrase(let secret) = read, secret.count == 5 else { exit(1) }
      #expect(try found() == "none")
      // An empty one was also meant as a passphrase.
      Environment.set("VAULTCTL_PASSPHRASE", "")
      #expect(try found() == "variable VAULTCTL_PASSPHRASE")
      Environment.set("VAULTCTL_PASSPHRASE", "12345")
      let passphrase = try folder.write([1], as: "vaultctl.passphrase")
      #expect(try found() == "passphrase \(passphrase)")
      let key = try folder.write([1], as: "vaultctl.key")
      // The other half for a slot that needs both is included.
      #expect(try found() == "key \(key) and passphrase \(passphrase)")
      Environment.set("VAULTCTL_PASSPHRASE_FILE", "/p")
      #expect(try found() == "passphrase /p and key \(key)")
      Environment.set("VAULTCTL_KEY_FILE", "/k")
      #expect(try found() == "key /k and passphrase /p")
      Environment.set("VAULTCTL_KEY_FILE", "")
      #expect(try found() == "passphrase /p and key \(key)")
      Environment.set("CREDENTIALS_DIRECTORY", "")
      #expect(try found() == "passphrase /p")
      // A passphrase that was not needed is still there for the next reader.
      #expect(unsafe getenv("VAULTCTL_PASSPHRASE") != nil)
    }
  }

  @Test(
    "each source that the environment names opens the vault",
    arguments: ["VAULTCTL_PASSPHRASE", "VAULTCTL_PASSPHRASE_FILE", "CREDENTIALS_DIRECTORY"])
  func passphrases(variable: String) async {
    await #expect(processExitsWith: .success) { [variable] in
      let folder = try Environment.begin()
      try Vault.create(key: .passphrase(Secret("right")), cost: .minimum).close()
      let path = try folder.write(Array("right\n".utf8), as: "vaultctl.passphrase")
      let values = [
        "VAULTCTL_PASSPHRASE": "right", "VAULTCTL_PASSPHRASE_FILE": path,
        "CREDENTIALS_DIRECTORY": folder.path,
      ]
      Environment.set(variable, try #require(values[variable]))
      #expect(try Vault.open(minimumCost: .minimum).state() == .unlocked)
      Environment.clear()
      expect(.configuration) { _ = try Vault.open() }
    }
  }

  @Test("a key that the environment names and that is wrong is an error, not a locked vault")
  func wrongKey() async {
    await #expect(processExitsWith: .success) {
      let folder = try Environment.begin()
      try Vault.create(key: .passphrase(Secret("right")), cost: .minimum).close()
      Environment.set("VAULTCTL_PASSPHRASE", "wrong")
      expect(.authenticationFailed) { _ = try Vault.open() }
      Environment.set("VAULTCTL_KEY_FILE", folder.file("none"))
      expect(.missingInput) { _ = try Vault.open() }
    }
  }

  @Test("an empty passphrase is an error that names its source, not a vault without a key")
  func empty() async {
    await #expect(processExitsWith: .success) {
      let folder = try Environment.begin()
      try Vault.create(key: .passphrase(Secret("right")), cost: .minimum).close()
      let path = try folder.write(Array("\n".utf8), as: "vaultctl.passphrase")
      for (variable, value, name) in [
        ("VAULTCTL_PASSPHRASE", "", "VAULTCTL_PASSPHRASE"),
        ("VAULTCTL_PASSPHRASE_FILE", path, path), ("CREDENTIALS_DIRECTORY", folder.path, path),
      ] {
        Environment.set(variable, value)
        do throws(VaultError) {
          _ = try Vault.open()
          exit(1)
        } catch {
          guard error.code == .invalidData, error.context == "\(name) holds an empty passphrase"
          else { exit(2) }
        }
        unsafe unsetenv(variable)
      }
    }
  }

  @Test("a passphrase that is read from a variable stays nowhere in the environment")
  func wiped() async {
    await #expect(processExitsWith: .success) {
      let name = "VAULTCTL_PASSPHRASE"
      Environment.set(name, "12345")
      guard let place = unsafe getenv(name) else { exit(1) }
      _ = try KeySource.passphraseVariable(name).loaded()
      let isGone = unsafe getenv(name) == nil
      // glibc never frees the memory of a variable.
      let isWiped = (0..<5).allSatisfy { unsafe place[$0] == 0 }
      #expect(isGone && isWiped)
    }
  }

  @Test("of threads that read a passphrase at once, one gets all of it, and the others nothing")
  func atOnce() async {
    await #expect(processExitsWith: .success) {
      let name = "VAULTCTL_PASSPHRASE"
      let value = String(repeating: "x", count: 100_000)
      for _ in 0..<200 {
        Environment.set(name, value)
        let read = Lock<[String]>([])
        inThreads(4) { _ in
          let key = try? KeySource.passphraseVariable(name).loaded()
          guard case .passphrase(let secret)? = key else { return }
          read.withLock { $0.append(secret.text) }
        }
        guard read.withLock({ $0 == [value] }) else { exit(1) }
      }
    }
  }

  @Test(
    "Vault.open() opens a slot that needs both with what the environment names, and says which half is missing"
  )
  func both() async {
    await #expect(processExitsWith: .success) {
      let folder = try Environment.begin()
      let key = folder.file("key")
      try KeyFile.create(at: key)
      try Vault.create(
        key: .both(.passphrase(Secret("right")), .keyFile(key)), cost: .minimum
      ).close()
      func failure() -> VaultError? {
        do throws(VaultError) {
          _ = try Vault.open(minimumCost: .minimum)
          return nil
        } catch {
          return error
        }
      }
      Environment.set("VAULTCTL_KEY_FILE", key)
      guard let error = failure(), error.code == .locked, error.context.contains("a passphrase as")
      else { exit(1) }
      Environment.set("VAULTCTL_PASSPHRASE", "wrong")
      guard failure()?.code == .authenticationFailed else { exit(2) }
      Environment.set("VAULTCTL_PASSPHRASE", "right")
      let vault = try Vault.open(minimumCost: .minimum)
      #expect(try vault.state() == .unlocked)
      try vault.close()
      // It was needed, and is gone.
      #expect(unsafe getenv("VAULTCTL_PASSPHRASE") == nil)
      Environment.set("VAULTCTL_KEY_FILE", "")
      Environment.set("VAULTCTL_PASSPHRASE", "right")
      guard let error = failure(), error.code == .locked, error.context.contains("a key file as")
      else { exit(3) }
    }
  }

  @Test(
    "the default key file opens a vault that nothing names a key for, and one that opens nothing is passed over"
  )
  func defaultKeyFile() async {
    await #expect(processExitsWith: .success) {
      let folder = try Environment.begin()
      #expect(KeyFile.defaultPath == nil)
      Environment.set("HOME", "/home/ann")
      #expect(KeyFile.defaultPath == "/home/ann/.config/vaultctl/default.key")
      Environment.set("XDG_CONFIG_HOME", folder.file("config"))
      #expect(try KeySource.find() == nil)
      let made = try KeyFile.makeDefault(for: folder.file("v"))
      #expect(made.isNew && made.path == folder.file("config/vaultctl/default.key"))
      #expect(try !KeyFile.makeDefault(for: folder.file("v")).isNew)
      expect(.cannotCreate) { _ = try KeyFile.makeDefault(for: folder.file("config/vaultctl/v")) }
      let own = try Vault.create(key: try #require(try KeySource.find()))
      try own.close()
      #expect(try Vault.open().state() == .unlocked)
      // Another vault's: open and locked, and an error of `unlock` and of a key that is named.
      let (other, key) = (folder.file("other"), folder.file("key"))
      try KeyFile.create(at: key)
      try Vault.create(path: other, key: .keyFile(key)).close()
      let vault = try Vault.open(path: other)
      #expect(try vault.state() == .locked)
      let found = try #require(try KeySource.find())
      expect(.locked) { try vault.unlock(with: found) }
      expect(.authenticationFailed) { _ = try vault.keys.test(found) }
      expect(.authenticationFailed) { _ = try Vault.open(path: other, key: .keyFile(made.path)) }
      // The configuration's comes first; each vault of a list opens with its own.
      _ = try folder.write(Array("key = \(key)\n".utf8), as: "config/vaultctl/config")
      #expect(unsafe chmod(folder.file("config/vaultctl/config"), 0o600) == 0)
      let list = try VaultList.open([try VaultLocation.find(), other])
      #expect(try list.vaults.allSatisfy { (vault) in try vault.state() == .unlocked })
      // One that cannot be read is an error if nothing else opens the vault.
      #expect(unsafe chmod(key, 0o644) == 0)
      #expect(try Vault.open().state() == .unlocked)
      expect(.unsafePermissions) { _ = try Vault.open(path: other) }
    }
  }

  @Test("without a home nothing is remembered, and the vault works all the same")
  func noHome() async {
    await #expect(processExitsWith: .success) {
      let folder = try Environment.begin()
      try KeyFile.create(at: folder.file("key"))
      Environment.clear()
      let path = folder.file("own.vault")
      let vault = try Vault.create(path: path, key: .keyFile(folder.file("key")))
      try vault.set(credential("ann", "1"), for: space())
      try vault.close()
      let again = try Vault.open(path: path, key: .keyFile(folder.file("key")))
      #expect(try again.known(space()) == [CredentialValues("ann", "1")])
    }
  }
}

/// The environment of a process that one test has for itself.
enum Environment {
  static let names = [
    "HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "VAULTCTL_VAULT",
    "VAULTCTL_KEY_FILE",
    "VAULTCTL_PASSPHRASE_FILE", "VAULTCTL_PASSPHRASE", "CREDENTIALS_DIRECTORY",
    "VAULTCTL_TRUSTED_FOLDERS",
  ]

  /// Removes all variables that name vaults and keys.
  static func clear() {
    // unsetenv reads a C string.
    for name in names { unsafe unsetenv(name) }
  }

  static func set(_ name: String, _ value: String) {
    // setenv copies both strings.
    unsafe setenv(name, value, 1)
  }

  /// Starts with a new data and state folder of the test's own.
  static func begin() throws -> TemporaryFolder {
    clear()
    let folder = try TemporaryFolder()
    set("XDG_DATA_HOME", folder.file("data"))
    set("XDG_STATE_HOME", folder.file("state"))
    return folder
  }
}
