import BusMessages
import CredentialVault
import SecureMemory
import Testing
import TestSupport
import VaultModel

@testable import SecretService

/// A service over a vault of its own, and a client of it.
final class ServiceFixture: PassphrasePrompt {
  static let passphrase = Secret("correct horse")
  static let login = "/org/freedesktop/secrets/collection/login"
  static let session = "/org/freedesktop/secrets/collection/session"
  static let path = "/org/freedesktop/secrets"

  let vault: Vault
  private(set) var served: ServedVault
  let clock: BenchClock
  private let folder: TemporaryFolder
  lazy var service = SecretService(served, prompt: self)
  /// How long the kernel remembers the key of a typed passphrase.
  var remembering: RememberedTime? {
    get { wanted.time }
    set { wanted.time = newValue }
  }
  private let wanted: Wanted

  private final class Wanted {
    var time: RememberedTime?
  }

  /// The number of times that somebody was asked, and that this was cancelled.
  private(set) var asked = 0
  private(set) var cancelled = 0
  /// The program that wanted the last passphrase.
  private(set) var requester: Requester?
  private(set) var plain = ""
  /// The number of the last call.
  private(set) var calls: UInt64 = 0

  /// Makes a service that begins anew over the same vault, as after its end.
  func restart() throws {
    served = ServedVault(now: { [clock] in clock.now }) { [vault] in vault }
    service = SecretService(served, prompt: self)
    plain = try openSession()
  }

  convenience init() throws {
    try self.init { folder in
      try Vault.create(
        path: folder.file("test.vault"), key: .passphrase(Self.passphrase), cost: .minimum)
    }
  }

  /// Makes a service over another vault in a folder of its own.
  init(over open: (TemporaryFolder) throws -> Vault) throws {
    StateFolder.useOwn()
    folder = try TemporaryFolder()
    let vault = try open(folder)
    self.vault = vault
    let clock = BenchClock()
    self.clock = clock
    let wanted = Wanted()
    self.wanted = wanted
    served = ServedVault(now: { clock.now }, remembering: { wanted.time }) { vault }
    plain = try openSession()
  }

  func ask(forVaultAt path: String, by requester: Requester) {
    asked += 1
    self.requester = requester
  }

  func cancel() { cancelled += 1 }

  /// Types the passphrase; `meanwhile` happens while the key is derived.
  func type(isWanted: Bool = true, meanwhile: () throws -> Void = {}) throws {
    try served.beginUnlocking().unlock(with: .passphrase(Self.passphrase))
    try meanwhile()
    service.passphraseEnded(
      isUnlocked: try served.unlockingEnded(isUnlocked: true, isWanted: isWanted))
  }

  @discardableResult
  func call(
    _ path: String, _ interface: String, _ member: String, _ arguments: BusValue...,
    from sender: String = ":1.1"
  ) throws(BusError) -> [BusValue] {
    let name = interface.contains(".") ? interface : "org.freedesktop.Secret.\(interface)"
    calls += 1
    return try service.answer(
      BusCall(
        sender: sender, path: path, interface: name, member: member, arguments: arguments,
        number: calls)) ?? []
  }

  func openSession(from sender: String = ":1.1") throws(BusError) -> String {
    let answer = try call(
      Self.path, "Service", "OpenSession", .text("plain"), .variant(.text("")), from: sender)
    return answer[1].path ?? ""
  }

  func create(
    _ attributes: [String: String], _ secret: Secret = Secret("s3cret"), label: String = "",
    in collection: String = login, replaces: Bool = true, type: String = "text/plain"
  ) throws(BusError) -> String {
    let answer = try call(
      collection, "Collection", "CreateItem",
      .variants([
        ("org.freedesktop.Secret.Item.Label", .text(label)),
        ("org.freedesktop.Secret.Item.Attributes", .texts(attributes)),
      ]),
      .structure([.path(plain), .bytes(Secret("")), .bytes(secret), .text(type)]),
      .flag(replaces))
    return answer[0].path ?? ""
  }

  /// Returns what a search finds, which has to be answered at once.
  func search(
    _ attributes: [String: String]
  ) throws(BusError) -> (unlocked: [String], locked: [String]) {
    let answer = try call(Self.path, "Service", "SearchItems", .texts(attributes))
    #expect(answer.count == 2)
    return (answer.first?.paths ?? [], answer.last?.paths ?? [])
  }

  /// Searches a locked vault.
  ///
  /// - Returns: The number of the call, which waits.
  func beginSearch(
    _ attributes: [String: String], from sender: String = ":1.1"
  ) throws(BusError) -> UInt64 {
    let answer = try call(
      Self.path, "Service", "SearchItems", .texts(attributes), from: sender)
    #expect(answer.isEmpty)
    return calls
  }

  /// Returns what the searches found that have waited; nil for one that was refused because the
  /// vault is locked.
  func takeFound() throws -> [UInt64: [String]?] {
    var found: [UInt64: [String]?] = [:]
    for reply in service.takeReplies() {
      switch reply.result {
      case .success(let values): found[reply.call] = .some(values.first?.paths)
      case .failure(let error):
        #expect(error == BusError(VaultError(.locked, "")))
        found[reply.call] = .some(nil)
      }
    }
    return found
  }

  func secret(_ path: String) throws(BusError) -> [UInt8]? {
    try call(path, "Item", "GetSecret", .path(plain))[0].fields?[2].bytes?.array
  }

  func property(
    _ name: String, of path: String, _ interface: String
  ) throws(BusError) -> BusValue? {
    let values = try call(
      path, "org.freedesktop.DBus.Properties", "Get",
      .text("org.freedesktop.Secret.\(interface)"), .text(name))
    guard case .variant(let value) = values[0] else { return nil }
    return value
  }

  func attributes(of path: String) throws(BusError) -> [String: String]? {
    try property("Attributes", of: path, "Item")?.texts
  }
}

/// A clock that tests set.
final class BenchClock {
  var now = ContinuousClock.now
}

/// Returns the name of the error that a call is answered with, without its long prefix; nil for
/// none.
func refusal(_ body: () throws(BusError) -> Void) -> String? {
  do throws(BusError) {
    try body()
    return nil
  } catch {
    return error.name.split(separator: ".").last.map(String.init)
  }
}
