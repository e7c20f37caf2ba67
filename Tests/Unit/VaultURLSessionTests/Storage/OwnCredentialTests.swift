import CredentialVault
import Dispatch
import Foundation
import FoundationNetworking
import SecureMemory
import TestTraits
import Testing
import VaultModel

@testable import VaultURLSession

@Suite("VaultCredentialStorage: what it gave, and is given again", .waiting)
struct OwnCredentialTests {
  let fixture: StorageFixture
  var storage: VaultCredentialStorage { fixture.storage }

  init() throws {
    fixture = try .withAnn()
  }

  /// Sets a credential on a queue that has the name of URLSession's.
  private func setAsTask(
    _ credential: URLCredential, in storage: VaultCredentialStorage, _ space: URLProtectionSpace
  ) throws {
    let end = DispatchSemaphore(value: 0)
    DispatchQueue(label: "org.swift.URLSession.test").async {
      #expect(CallingQueue.current == .task)
      storage.set(credential, for: space)
      end.signal()
    }
    try #require(end.wait(timeout: .now() + 120) == .success)
  }

  @Test("what a task had of the same space is not written again; of another space it is stored")
  func otherSpace() throws {
    let ann = try #require(storage.credentials(for: foundationSpace())?["ann"])
    storage.remove(ann, for: foundationSpace())
    try setAsTask(ann, in: storage, foundationSpace())
    #expect(storage.users().isEmpty)
    let hub = foundationSpace("hub.example.com")
    try setAsTask(ann, in: storage, hub)
    try fixture.settle()
    #expect(storage.users().isEmpty)
    #expect(storage.said("ann", "one", hub) == URLCredentialValues("ann"))
  }

  @Test("what a task had of another vault is stored")
  func otherVault() throws {
    let other = try StorageFixture()
    let ann = try #require(storage.credentials(for: foundationSpace())?["ann"])
    try setAsTask(ann, in: other.storage, foundationSpace())
    try other.settle()
    #expect(other.storage.said("ann", "one") == URLCredentialValues("ann"))
    let isWritten = try other.vault.permanent("ann", is: "one")
    #expect(isWritten == true)
  }

  @Test("what waits to be accepted is not there yet: the same for the session is stored beside it")
  func pending() throws {
    var rule = PersistencePolicy.Rule(name: "accepted")
    rule.persistOnlyAfterAcceptance = true
    try fixture.vault.policy.update { [rule] in $0 = [rule] }
    storage.set(foundationCredential("bob", "two"), for: foundationSpace())
    try fixture.settle()
    let waiting = storage.credentials(for: foundationSpace())?["bob"] as? VaultURLCredential
    let pending = try #require(waiting?.pending)
    storage.set(foundationCredential("bob", "two", .forSession), for: foundationSpace())
    try fixture.settle()
    try fixture.vault.pending.reject(pending)
    #expect(storage.said("bob", "two") == URLCredentialValues("bob", .forSession))
  }
}
