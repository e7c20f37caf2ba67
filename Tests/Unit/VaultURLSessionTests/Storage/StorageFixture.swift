import CredentialVault
import Dispatch
import Foundation
import FoundationNetworking
import SecureMemory
import TestSupport
import Testing
import VaultModel
import VaultURLSession

/// A vault of one test's own, and a storage over it.
final class StorageFixture: Sendable {
  let folder: TemporaryFolder
  let vault: Vault
  let storage: VaultCredentialStorage
  let recorder: StorageRecorder

  var path: String { folder.file("vault/own.vault") }
  var key: KeySource { .keyFile(folder.file("key")) }

  /// Creates the vault and the storage.
  ///
  /// - Parameter prepare: Stores items before there is a storage.
  /// - Throws: Any error of `prepare` and of making the vault.
  init(_ prepare: (Vault) throws -> Void = { _ in }) throws {
    StateFolder.useOwn()
    folder = try TemporaryFolder()
    try KeyFile.create(at: folder.file("key"))
    vault = try Vault.create(
      path: folder.file("vault/own.vault"), key: .keyFile(folder.file("key")))
    try prepare(vault)
    let recorder = StorageRecorder()
    self.recorder = recorder
    storage = VaultCredentialStorage(vault) { recorder.note($0) }
    recorder.observe(storage)
  }

  /// Creates a fixture whose vault permanently holds ann's password "one".
  static func withAnn() throws -> StorageFixture {
    try StorageFixture { vault in
      try vault.set(
        Credential(user: "ann", secret: Secret("one"), persistence: .permanent), for: gitSpace())
    }
  }

  /// Returns another vault object of this process, over the same file.
  func open() throws -> Vault { try Vault.open(path: path, key: key) }

  /// Waits until everything is written and every observer was notified.
  ///
  /// - Throws: Any error of flushing, unless it is expected.
  func settle(expecting code: VaultError.Code? = nil) throws {
    do throws(VaultError) {
      try storage.flush()
      #expect(code == nil)
    } catch {
      #expect(error.code == code)
    }
    recorder.waitForAll(of: storage)
  }
}

/// The errors and changes that a storage reported.
final class StorageRecorder: Sendable {
  private struct State {
    var errors: [VaultError] = []
    var changes = 0
    var token: (any NSObjectProtocol)?
  }

  private let state = Lock(State())
  private let marked = DispatchSemaphore(value: 0)

  deinit {
    let token = state.withLock { $0.token }
    if let token { NotificationCenter.default.removeObserver(token) }
  }

  func observe(_ storage: VaultCredentialStorage) {
    let token = NotificationCenter.default.addObserver(
      forName: .NSURLCredentialStorageChanged, object: storage, queue: nil
    ) { [weak self] _ in
      self?.state.withLock { $0.changes += 1 }
    }
    state.withLock { $0.token = token }
  }

  func note(_ error: VaultError) {
    if error.context.contains("port") {
      marked.signal()
    } else {
      state.withLock { $0.errors.append(error) }
    }
  }

  /// Waits until everything is reported: errors and changes are reported in one order.
  func waitForAll(of storage: VaultCredentialStorage) {
    _ = storage.credentials(
      for: URLProtectionSpace(
        host: "a", port: -1, protocol: "http", realm: nil, authenticationMethod: nil))
    #expect(marked.wait(timeout: .now() + 120) == .success)
  }

  /// Returns the number of changes reported since the last call.
  func takeChanges() -> Int {
    state.withLock { state in
      defer { state.changes = 0 }
      return state.changes
    }
  }

  /// Returns the codes of the errors reported since the last call.
  func takeErrors() -> [VaultError.Code] {
    state.withLock { state in
      defer { state.errors = [] }
      return state.errors.map(\.code)
    }
  }
}

/// Returns a new object of Foundation's for `https://git.example.com`, realm `Team Git`.
func foundationSpace(
  _ host: String = "git.example.com", port: Int = 443, realm: String? = "Team Git",
  protocol: String? = "https", method: String? = NSURLAuthenticationMethodHTTPBasic
) -> URLProtectionSpace {
  URLProtectionSpace(
    host: host, port: port, protocol: `protocol`, realm: realm, authenticationMethod: method)
}

/// Returns the same space as a value.
func gitSpace(
  _ host: String = "git.example.com", method: AuthenticationMethod = .basic
) throws -> ProtectionSpace {
  try ProtectionSpace(host: host, realm: "Team Git", authenticationMethod: method)
}

func foundationCredential(
  _ user: String, _ password: String, _ persistence: URLCredential.Persistence = .permanent
) -> URLCredential {
  URLCredential(user: user, password: password, persistence: persistence)
}

/// A credential's values, to be compared: of its password only whether it is the expected one.
struct URLCredentialValues: Equatable {
  let user: String?
  let isPasswordRight: Bool
  let persistence: URLCredential.Persistence

  init?(_ credential: URLCredential?, _ password: String) {
    guard let credential else { return nil }
    user = credential.user
    isPasswordRight = credential.password == password
    persistence = credential.persistence
  }

  init(_ user: String, _ persistence: URLCredential.Persistence = .permanent) {
    self.user = user
    isPasswordRight = true
    self.persistence = persistence
  }
}

extension VaultCredentialStorage {
  /// Returns the values of a user's credential, looked up with a space of its own.
  func said(
    _ user: String, _ password: String, _ space: URLProtectionSpace = foundationSpace()
  ) -> URLCredentialValues? {
    URLCredentialValues(credentials(for: space)?[user], password)
  }

  func users(_ space: URLProtectionSpace = foundationSpace()) -> Set<String> {
    Set((credentials(for: space) ?? [:]).keys)
  }
}

extension Vault {
  /// Returns whether a user's permanent secret in the usual space is this one; nil if there is
  /// none.
  func permanent(_ user: String, is secret: String) throws -> Bool? {
    try write { (transaction) throws(VaultError) in
      try transaction.findAll(ItemQuery(), withSecrets: true).first { $0.account == user }?
        .secret?.isEqual(to: Secret(secret))
    }
  }
}

/// A vault's file that a transaction holds from now until it is released.
final class HeldFile: Sendable {
  private let end = DispatchSemaphore(value: 0)
  private let over = DispatchGroup()

  init(_ vault: Vault) {
    let isHeld = DispatchSemaphore(value: 0)
    over.enter()
    Thread.detachNewThread { [end, over] in
      do throws(VaultError) {
        try vault.writing { (_) throws(VaultError) in
          isHeld.signal()
          end.wait()
        }
      } catch {
        Issue.record("\(error.code)")
      }
      over.leave()
    }
    isHeld.wait()
  }

  /// Releases the file, and waits until it is free.
  func release() {
    end.signal()
    over.wait()
  }
}
