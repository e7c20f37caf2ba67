import CredentialVault
import Foundation
import FoundationNetworking
import SecureMemory
import TestTraits
import Testing
import VaultModel

@testable import VaultURLSession

@Suite("VaultURLCredential", .waiting)
struct VaultURLCredentialTests {
  let vault = Vault.inMemory()
  let storage: VaultCredentialStorage

  init() throws {
    storage = VaultCredentialStorage(vault)
    try vault.set(
      Credential(user: "ann", secret: Secret("Xyzzy-4711"), persistence: .session), for: gitSpace())
  }

  private func found() throws -> URLCredential {
    try #require(storage.credentials(for: foundationSpace())?["ann"])
  }

  @Test("says what the vault has")
  func says() throws {
    let credential = try found()
    #expect(credential is VaultURLCredential)
    #expect(
      URLCredentialValues(credential, "Xyzzy-4711") == URLCredentialValues("ann", .forSession))
    #expect(credential.hasPassword)
    #expect((credential.copy() as? URLCredential) === credential)
  }

  @Test("is equal by value, and hashes alike")
  func equality() throws {
    let first = try found()
    let second = try found()
    #expect(first !== second)
    let isSame = first == second
    #expect(isSame)
    #expect(first.hash == second.hash)
    #expect(Set([first, second]).count == 1)
    let isSameAsPlain = first.isEqual(foundationCredential("ann", "Xyzzy-4711", .forSession))
    #expect(isSameAsPlain)
    for other in [
      foundationCredential("bob", "Xyzzy-4711", .forSession),
      foundationCredential("ann", "Xyzzy-4712", .forSession),
      foundationCredential("ann", "Xyzzy-4711", .permanent),
    ] {
      let isOther = first.isEqual(other)
      #expect(!isOther)
    }
    #expect(!first.isEqual("ann"))
    try vault.set(
      Credential(user: "ann", secret: Secret("another"), persistence: .session), for: gitSpace())
    let third = try found()
    let isOther = first == third
    #expect(!isOther)
  }

  @Test("shows its password in no description, dump or archive")
  func hidden() throws {
    let credential = try found()
    var dumped = ""
    dump(credential, to: &dumped)
    dump(["ann": credential], to: &dumped)
    let archive = try NSKeyedArchiver.archivedData(
      withRootObject: credential, requiringSecureCoding: true)
    let texts = [
      dumped, "\(credential)", credential.debugDescription, String(reflecting: credential),
      String(decoding: archive, as: UTF8.self),
    ]
    for text in texts {
      let isShown = text.contains("Xyzzy") || text.contains("4711")
      #expect(!isShown)
    }
  }

  @Test("what Foundation's own class keeps of it is no password")
  func inherited() throws {
    let credential = try found()
    // Foundation compares its own copy, and calls nobody.
    for password in ["Xyzzy-4711", ""] {
      let isSame = foundationCredential("ann", password, .forSession).isEqual(credential)
      #expect(!isSame)
    }
  }

  @Test("an archive of one gives none back, and no other one either")
  func archived() throws {
    let archive = try NSKeyedArchiver.archivedData(
      withRootObject: found(), requiringSecureCoding: true)
    var back: URLCredential?
    do {
      back = try NSKeyedUnarchiver.unarchivedObject(ofClass: URLCredential.self, from: archive)
    } catch {
      back = nil
    }
    #expect(back == nil)
  }
}
