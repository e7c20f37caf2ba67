import AttackSupport
import CredentialVault
import Glibc
import SecureMemory
import TestSupport
import VaultModel

/// A vault of one scenario's own, with a key file; removed with its last reference.
final class VaultPlace {
  let folder: TemporaryFolder
  /// The clock of the vault's file.
  let clock: TestClock
  let vault: Vault

  var path: String { folder.file("vault/own.vault") }
  var key: KeySource { .keyFile(folder.file("key")) }

  init() throws {
    StateFolder.useOwn()
    folder = try TemporaryFolder()
    try KeyFile.create(at: folder.file("key"))
    let (path, key) = (folder.file("vault/own.vault"), KeySource.keyFile(folder.file("key")))
    try Vault.create(path: path, key: key).close()
    // After the vault was made, whose time is never earlier.
    clock = TestClock(.now().adding(.seconds(1)))
    vault = try Vault.open(path: path, key: key, time: clock.source)
  }

  /// Makes it the default vault of this process, which has to be alone with its environment.
  func becomeDefault() {
    // setenv copies both strings.
    unsafe setenv("VAULTCTL_VAULT", path, 1)
    unsafe setenv("VAULTCTL_KEY_FILE", folder.file("key"), 1)
  }

  /// Overwrites every row that holds items, while nobody works with the vault.
  ///
  /// - Returns: The content of the file.
  func damage() throws -> [UInt8] {
    try vault.lock()
    try Database.run("UPDATE node SET sealed = zeroblob(512)", on: path)
    try vault.unlock(with: key)
    return try contents()
  }

  /// Returns the bytes of a copy of the file.
  func copy() throws -> [UInt8] {
    try Database.run("VACUUM INTO '\(folder.file("copy"))'", on: path)
    return try folder.bytes(folder.file("copy"))
  }

  /// Sets the clock forward to this millisecond of a second.
  func setMilliseconds(to milliseconds: Int64) {
    let past = clock.now.milliseconds % 1000
    clock.pass(.milliseconds(1000 + milliseconds - past))
  }

  /// Writes a file that is not a vault, in the vault's folder.
  func otherFile() throws -> String {
    try folder.write(Array("Dear recorder,\n".utf8), as: "vault/recorder")
  }

  /// Returns the content of the file, read by SQLite, so that no lock is lost.
  func contents() throws -> [UInt8] {
    try Database.bytes("SELECT group_concat(id || hex(sealed)) FROM node", of: path)
  }
}

/// The events that an observer got, in order.
final class Events: Sendable {
  private let events = Lock<[VaultEvent]>([])

  func write(_ event: VaultEvent) { events.withLock { $0.append(event) } }

  /// The events without their subjects.
  var names: String {
    events.withLock { events in
      events.map { event in
        switch event {
        case .added: "added"
        case .modified: "modified"
        case .moved: "moved"
        case .removed: "removed"
        default: "\(event)"
        }
      }.joined(separator: " ")
    }
  }
}
