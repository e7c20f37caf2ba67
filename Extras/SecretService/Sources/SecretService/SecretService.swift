package import BusMessages
import CredentialVault
import SecureMemory
package import VaultModel

/// Asks a person for the vault's passphrase, without anybody waiting for it.
package protocol PassphrasePrompt: AnyObject {
  /// Begins to ask; ``SecretService/passphraseEnded(isUnlocked:)`` is called when that is over.
  ///
  /// - Parameters:
  ///   - path: The vault's path.
  ///   - requester: The first who waits for it.
  func ask(forVaultAt path: String, by requester: Requester)

  /// Ends the asking.
  func cancel()
}

/// The program that wants the vault to be unlocked, as far as the bus or the portal says.
package enum Requester: Equatable, Sendable {
  case process(UInt32)
  /// A sandboxed application, by its id.
  case application(String)
  case unknown
}

/// `org.freedesktop.secrets` over a vault, apart from the bus: calls in, answers and signals out.
///
/// It belongs to one thread.
///
/// Source: Secret Service API 0.2, specifications.freedesktop.org.
package final class SecretService {
  static let interface = "org.freedesktop.Secret."
  static let properties = "org.freedesktop.DBus.Properties"

  let served: ServedVault
  let items: ItemStore
  let collections: CollectionStore
  let passphrasePrompt: any PassphrasePrompt
  /// The programs that the clients belong to.
  var programs = ClientPrograms()
  var sessions = ClientObjects<ClientSession>(
    prefix: ObjectPath.sessions, mostOfOne: 256, most: 4096)
  var prompts = ClientObjects<PromptAction>(
    prefix: ObjectPath.prompts, mostOfOne: 32, most: 512)
  /// The calls that are answered when the vault is unlocked.
  var waitingCalls = ClientObjects<BusCall>(prefix: "call/c", mostOfOne: 64, most: 512)
  /// The paths of the prompts and calls that wait for the passphrase.
  var waiting: [String] = []
  /// The end of the waiting; nil if nobody waits.
  var waitingEnd: ServedVault.Instant?
  private var signals: [BusSignal] = []
  private var lockSignals: [BusSignal] = []
  var replies: [BusReply] = []
  /// The state of the lock that everybody was told of last; a service that begins is locked.
  private var isToldUnlocked = false

  /// - Parameters:
  ///   - served: The vault.
  ///   - prompt: Asks for its passphrase.
  package init(_ served: ServedVault, prompt: any PassphrasePrompt) {
    (self.served, passphrasePrompt) = (served, prompt)
    items = ItemStore(served)
    collections = CollectionStore(served, items)
  }

  /// Whether somebody is being asked.
  package var isAsking: Bool { !waiting.isEmpty }

  /// Whether a client on the bus has a session open.
  package var hasSessions: Bool { !sessions.isEmpty }

  /// Returns the signals of the lock since the last time; they precede the answer of the call that
  /// caused them, so that a client knows the state when it has the answer.
  package func takeLockSignals() -> [BusSignal] {
    defer { lockSignals = [] }
    return lockSignals
  }

  /// Returns the other signals since the last time; they follow the answer of the call that caused
  /// them.
  package func takeSignals() -> [BusSignal] {
    defer { signals = [] }
    return signals
  }

  /// Returns the answers since the last time to calls that had to wait.
  package func takeReplies() -> [BusReply] {
    defer { replies = [] }
    return replies
  }

  /// Answers a call; one that cannot wait fails in a locked vault.
  ///
  /// - Returns: The answer; nil if it has to wait for a person, and ``takeReplies()`` has it later.
  /// - Throws: The error that answers it, without a secret.
  package func answer(_ call: BusCall, canWait: Bool = true) throws(BusError) -> [BusValue]? {
    let isIntrospection =
      call.interface == "org.freedesktop.DBus.Introspectable" && call.member == "Introspect"
    guard let object = ObjectPath.object(at: call.path) else {
      guard isIntrospection, call.path == "/" else { throw .unknownMethod }
      return [.text("<node><node name=\"\(ObjectPath.service.dropFirst())\"/></node>")]
    }
    defer { tellOfLock() }
    // A key whose time is over is not renewed by the call that comes after it.
    try vault { () throws(VaultError) in try served.refresh(countsAsUse: true) }
    if isIntrospection { return [.text(try introspection(of: object))] }
    if canWait, try isHeld(call, of: object) { return nil }
    let resolved = try resolve(object)
    if call.interface == Self.properties { return try answerOfProperties(call, resolved) }
    switch (resolved, call.interface) {
    case (.service, Self.interface + "Service"): return try answerOfService(call)
    case (.collection(let name), Self.interface + "Collection"):
      return try answerOfCollection(call, name)
    case (.item(let id, let name), Self.interface + "Item"):
      return try answerOfItem(call, id, in: name)
    case (.ofClient, Self.interface + "Session"): return try answerOfSession(call)
    case (.ofClient, Self.interface + "Prompt"): return try answerOfPrompt(call)
    case (.portal, Self.portalInterface + "Secret"): return try answerOfPortal(call)
    case (.portalRequest, Self.portalInterface + "Request"):
      return try answerOfPortalRequest(call)
    default: throw .unknownMethod
    }
  }

  /// The time of the next ``refresh()``; nil if nothing has an end.
  package var nextRefresh: ServedVault.Instant? {
    [served.nextLook, waitingEnd].compactMap(\.self).min()
  }

  /// Locks the vault if the time of what unlocked it is over, and ends a waiting that takes too
  /// long.
  package func refresh() throws(VaultError) {
    defer { tellOfLock() }
    if let waitingEnd, waitingEnd <= served.now() {
      passphrasePrompt.cancel()
      passphraseEnded(isUnlocked: false)
    }
    try served.refresh()
  }

  /// Notes the process of a client.
  package func clientIs(_ name: String, process: UInt32) { programs.add(name, process: process) }

  /// Forgets what a client had that has left the bus.
  package func clientLeft(_ name: String) {
    sessions.removeAll(of: name)
    for prompt in prompts.removeAll(of: name) { stopWaiting(prompt.path) }
    for call in waitingCalls.removeAll(of: name) { end(call, isUnlocked: false) }
    programs.remove(name)
  }

  // MARK: Objects

  /// Returns the object that an alias means now.
  func resolve(_ object: ObjectPath.Object) throws(BusError) -> ObjectPath.Object {
    guard case .alias(let alias) = object else { return object }
    let name = try vault { () throws(VaultError) in try collections.name(ofAlias: alias) }
    guard let name else { throw .noSuchObject }
    return .collection(name)
  }

  // MARK: Signals

  func post(
    _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue],
    to destination: String? = nil
  ) {
    signals.append(
      BusSignal(
        path: path, interface: interface, member: member, arguments: arguments,
        destination: destination))
  }

  func postChange(of path: String, _ interface: String, _ values: [(String, BusValue)]) {
    signals.append(Self.change(of: path, interface, values))
  }

  private static func change(
    of path: String, _ interface: String, _ values: [(String, BusValue)]
  ) -> BusSignal {
    BusSignal(
      path: path, interface: properties, member: "PropertiesChanged",
      arguments: [.text(Self.interface + interface), .variants(values), .list("s", [])])
  }

  /// Tells everybody whether the collections are locked, if that has changed.
  func tellOfLock() {
    guard served.wasUnlocked != isToldUnlocked else { return }
    isToldUnlocked.toggle()
    if !isToldUnlocked { items.forgetAll() }
    for name in collections.latestNames(isLocked: !isToldUnlocked) {
      let path = ObjectPath.collection(name)
      lockSignals.append(
        Self.change(of: path, "Collection", [("Locked", .flag(!isToldUnlocked))]))
      lockSignals.append(
        BusSignal(
          path: ObjectPath.service, interface: Self.interface + "Service",
          member: "CollectionChanged", arguments: [.path(path)]))
    }
    // Unlocked in another way than by the passphrase that somebody is asked for.
    if isToldUnlocked, !waiting.isEmpty {
      passphrasePrompt.cancel()
      passphraseEnded(isUnlocked: true)
    }
  }

  // MARK: Sessions

  func session(_ path: String, of call: BusCall) throws(BusError) -> ClientSession {
    guard let session = sessions.object(path, of: call.sender) else { throw .noSession }
    return session
  }

  private func answerOfSession(_ call: BusCall) throws(BusError) -> [BusValue] {
    guard call.member == "Close", call.signature.isEmpty else { throw .unknownMethod }
    _ = try session(call.path, of: call)
    sessions.remove(call.path)
    return []
  }
}
