import CredentialVault
import Dispatch
import Foundation
import FoundationNetworking
import SecureMemory
import TestTraits
import Testing
import URLSessionTesting
import VaultModel

@testable import VaultURLSession

@Suite("VaultCredentialStorage: in a real session", .waiting)
struct StorageInSessionTests {
  let fixture: StorageFixture
  let session: URLSession
  var storage: VaultCredentialStorage { fixture.storage }
  var vault: Vault { fixture.vault }

  init() throws {
    fixture = try StorageFixture()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCredentialStorage = fixture.storage
    // On Linux a session needs any delegate beside a storage.
    session = URLSession(
      configuration: configuration, delegate: SilentTaskDelegate(), delegateQueue: nil)
  }

  private func space(of server: ScriptedServer) -> URLProtectionSpace {
    foundationSpace("127.0.0.1", port: server.port, realm: "Team", protocol: "http")
  }

  /// Returns the result of a request, awaited by a watchdog: a request that Foundation leaves open
  /// would hang the test.
  private func load(_ server: ScriptedServer, _ session: URLSession? = nil) throws -> String {
    let session = session ?? self.session
    let body = Lock("")
    let end = DispatchSemaphore(value: 0)
    let task = session.dataTask(with: server.url()) { data, _, _ in
      body.withLock { $0 = String(decoding: data ?? Data(), as: UTF8.self) }
      end.signal()
    }
    task.resume()
    try #require(end.wait(timeout: .now() + 120) == .success)
    // Foundation releases the task after the handler: asked for its tasks meanwhile, it can trap.
    session.delegateQueue.addOperation { end.signal() }
    try #require(end.wait(timeout: .now() + 120) == .success)
    // It may call the storage after that, in the same turn of its queue: the next turn is after
    // both.
    session.getAllTasks { _ in end.signal() }
    try #require(end.wait(timeout: .now() + 120) == .success)
    return body.withLock { $0 }
  }

  private func reset() throws {
    let end = DispatchSemaphore(value: 0)
    session.reset { end.signal() }
    try #require(end.wait(timeout: .now() + 120) == .success)
    try fixture.settle()
  }

  @Test("logs in with what is stored, and a success writes nothing and tells nobody")
  func login() throws {
    let server = try ScriptedServer(ScriptedLogin.basic(["ann": "one"]))
    storage.set(foundationCredential("ann", "one"), for: space(of: server))
    try fixture.settle()
    _ = fixture.recorder.takeChanges()
    let revision = try vault.findUnique(ItemQuery(), withSecrets: true).revision
    for _ in 1...3 { #expect(try load(server) == "OK ann") }
    try fixture.settle()
    #expect(try vault.findUnique(ItemQuery(), withSecrets: true).revision == revision)
    #expect(fixture.recorder.takeChanges() == 0)
  }

  @Test(
    "what a delegate answers with is stored once it was accepted, and told on no queue of URLSession's"
  )
  func answered() throws {
    var rule = PersistencePolicy.Rule(name: "accepted")
    rule.persistOnlyAfterAcceptance = true
    try vault.policy.update { [rule] in $0 = [rule] }
    let server = try ScriptedServer(ScriptedLogin.basic(["ann": "one"]))
    let callers = Lock<[CallingQueue]>([])
    let token = NotificationCenter.default.addObserver(
      forName: .NSURLCredentialStorageChanged, object: storage, queue: nil
    ) { _ in
      let caller = CallingQueue.current
      callers.withLock { $0.append(caller) }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    let other = URLSession(
      configuration: session.configuration,
      delegate: AnsweringDelegate(foundationCredential("ann", "one")),
      delegateQueue: nil)
    #expect(try load(server, other) == "OK ann")
    try fixture.settle()
    #expect(callers.withLock { $0 } == [.app])
    #expect(storage.said("ann", "one", space(of: server)) == URLCredentialValues("ann"))
    let isWritten = try vault.permanent("ann", is: "one")
    #expect(isWritten == true)
  }

  /// Starts a server that knows ann, and makes a change before it accepts her.
  private func server(
    changing change: @escaping @Sendable (ProtectionSpace) throws(VaultError) -> Void
  ) throws -> ScriptedServer {
    try ScriptedServer(
      ScriptedLogin.basic(["ann": "one"]) { request, user in
        do throws(VaultError) {
          try change(
            ProtectionSpace(
              url: "http://\(request["Host"] ?? "")", realm: "Team", authenticationMethod: .basic))
        } catch {
          Issue.record("\(error.code)")
        }
        return .text("OK \(user)")
      })
  }

  @Test("a password that was changed during a request is not overwritten by the one that it used")
  func changedMeanwhile() throws {
    let vault = vault
    let server = try server { (space) throws(VaultError) in
      try vault.set(
        Credential(user: "ann", secret: Secret("two"), persistence: .permanent), for: space)
    }
    storage.set(foundationCredential("ann", "one"), for: space(of: server))
    #expect(try load(server) == "OK ann")
    try fixture.settle()
    #expect(storage.said("ann", "two", space(of: server)) == URLCredentialValues("ann"))
    let isNew = try vault.permanent("ann", is: "two")
    #expect(isNew == true)
  }

  @Test("a user who was removed during a request does not come back when it succeeds")
  func removedMeanwhile() throws {
    let vault = vault
    let server = try server { (space) throws(VaultError) in
      try vault.remove(user: "ann", for: space)
    }
    storage.set(foundationCredential("ann", "one"), for: space(of: server))
    try fixture.settle()
    #expect(try load(server) == "OK ann")
    try fixture.settle()
    #expect(storage.users(space(of: server)).isEmpty)
    #expect(try vault.findAll(ItemQuery()).isEmpty)
  }

  @Test("one that has to be accepted first is written when the server has accepted it")
  func pending() throws {
    var rule = PersistencePolicy.Rule(name: "accepted")
    rule.persistOnlyAfterAcceptance = true
    try vault.policy.update { [rule] in $0 = [rule] }
    let server = try ScriptedServer(ScriptedLogin.basic(["ann": "one"]))
    storage.set(foundationCredential("ann", "one"), for: space(of: server))
    try fixture.settle()
    #expect(
      storage.said("ann", "one", space(of: server)) == URLCredentialValues("ann", .forSession))
    #expect(try vault.permanent("ann", is: "one") == nil)
    #expect(try load(server) == "OK ann")
    try fixture.settle()
    let isWritten = try vault.permanent("ann", is: "one")
    #expect(isWritten == true)
    #expect(storage.said("ann", "one", space(of: server)) == URLCredentialValues("ann"))
  }

  @Test("reset ends the session's credentials and leaves the permanent ones, hidden ones too")
  func sessionEnds() throws {
    storage.set(foundationCredential("ann", "one"), for: foundationSpace())
    storage.set(foundationCredential("ann", "two", .forSession), for: foundationSpace())
    storage.set(foundationCredential("bob", "three", .forSession), for: foundationSpace())
    storage.setDefaultCredential(
      foundationCredential("carl", "four"), for: foundationSpace("hub.example.com"))
    try fixture.settle()
    _ = fixture.recorder.takeChanges()
    try reset()
    #expect(storage.users() == ["ann"])
    #expect(storage.said("ann", "one") == URLCredentialValues("ann"))
    #expect(
      URLCredentialValues(
        storage.defaultCredential(for: foundationSpace("hub.example.com")), "four")
        == URLCredentialValues("carl"))
    #expect(try vault.findAll(ItemQuery()).count == 2)
    #expect(fixture.recorder.takeErrors().isEmpty)
    try reset()
    #expect(try vault.findAll(ItemQuery()).count == 2)
  }

  @Test("what an app looks up and removes in the background is removed")
  func background() throws {
    storage.set(foundationCredential("ann", "one"), for: foundationSpace())
    storage.set(foundationCredential("bob", "two"), for: foundationSpace())
    let storage = storage
    // Not `sync`, which would run it on this thread.
    let end = DispatchSemaphore(value: 0)
    DispatchQueue.global(qos: .background).async {
      storage.remove(foundationCredential("ann", "one"), for: foundationSpace())
      if let bob = storage.credentials(for: foundationSpace())?["bob"] {
        storage.remove(bob, for: foundationSpace())
      }
      end.signal()
    }
    try #require(end.wait(timeout: .now() + 120) == .success)
    try fixture.settle()
    #expect(storage.users().isEmpty)
  }
}
