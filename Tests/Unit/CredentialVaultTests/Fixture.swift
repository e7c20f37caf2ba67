import VaultAdministration
import CredentialVault
import Glibc
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultModel

/// A vault of one test's own, with a key file.
struct Fixture {
  let folder: TemporaryFolder
  let vault: Vault

  var path: String { folder.file("vault/own.vault") }
  var key: KeySource { .keyFile(folder.file("key")) }

  init() throws {
    StateFolder.useOwn()
    folder = try TemporaryFolder()
    try KeyFile.create(at: folder.file("key"))
    vault = try Vault.create(
      path: folder.file("vault/own.vault"), key: .keyFile(folder.file("key")), slotName: "own")
  }

  func open(lockTimeout: Duration = .seconds(10)) throws -> Vault {
    try Vault.open(path: path, key: key, lockTimeout: lockTimeout)
  }
}

/// A vault whose clocks the test sets.
struct ClockedVault {
  let fixture: Fixture
  let clock: TestClock
  let vault: Vault

  init() throws {
    fixture = try Fixture()
    try fixture.vault.close()
    // After the vault was made, whose time is never earlier.
    clock = TestClock(.now().adding(.seconds(1)))
    vault = try Vault.open(path: fixture.path, key: fixture.key, time: clock.source)
  }
}

/// A vault whose file another program holds, so that nothing can be committed to it.
struct HeldVault {
  let fixture: Fixture
  let vault: Vault
  let holder: LockHolder

  /// Creates the vault and takes the lock.
  ///
  /// - Parameter prepare: Stores items before that.
  /// - Throws: Any error of `prepare` and of making the vault.
  init(_ prepare: (Vault) throws -> Void) throws {
    fixture = try Fixture()
    try prepare(fixture.vault)
    try fixture.vault.close()
    vault = try fixture.open(lockTimeout: .milliseconds(20))
    holder = try LockHolder(fixture.path)
    try holder.share()
  }
}

/// An error of a user of the library.
struct OwnError: Error, Equatable {
  var number = 0
}

func expect(
  _ code: VaultError.Code, from location: SourceLocation = #_sourceLocation,
  _ body: () throws -> Void
) {
  #expect(throws: VaultError(code, ""), sourceLocation: location) { try body() }
}

/// Returns a space for `https://git.example.com`, realm `Team Git`.
func space(
  _ host: String = "git.example.com", port: Int? = nil,
  method: AuthenticationMethod = .basic
) throws -> ProtectionSpace {
  try ProtectionSpace(host: host, port: port, realm: "Team Git", authenticationMethod: method)
}

func credential(
  _ user: String, _ secret: String, _ persistence: Persistence = .permanent, domain: String = ""
) -> Credential {
  Credential(user: user, secret: Secret(secret), persistence: persistence, accountDomain: domain)
}

func item(_ account: String = "ann", _ secret: String = "one") throws -> Item {
  Item(space: try space(), account: account, secret: Secret(secret))
}

/// A credential as a value that can be compared, its secret a test's text.
struct CredentialValues: Equatable, CustomStringConvertible {
  let user: String
  let secret: String
  let persistence: Persistence

  init(_ user: String, _ secret: String, _ persistence: Persistence = .permanent) {
    self.user = user
    self.secret = secret
    self.persistence = persistence
  }

  init(_ credential: Credential) {
    self.init(
      credential.user, String(decoding: credential.secret.array, as: UTF8.self),
      credential.persistence)
  }

  var description: String { "\(user)/\(secret)/\(persistence)" }
}

extension Vault {
  func known(_ space: ProtectionSpace) throws -> [CredentialValues] {
    try credentials(for: space).map(CredentialValues.init)
  }

  func knownDefault(_ space: ProtectionSpace) throws -> CredentialValues? {
    try defaultCredential(for: space).map(CredentialValues.init)
  }

  /// Returns the number of committed writes.
  func generation() throws -> UInt64 { try maintenance.information().generation }
}

/// The events that an observer got, in order.
final class EventRecorder: Sendable {
  private let lines = Lock<[VaultEvent]>([])

  func write(_ event: VaultEvent) {
    lines.withLock { $0.append(event) }
  }

  /// Returns the events since the last call.
  func take() -> [VaultEvent] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}

extension VaultEvents {
  func observe(_ recorder: EventRecorder) -> VaultObserver {
    observe { recorder.write($0) }
  }
}
