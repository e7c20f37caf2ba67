import SecureMemory
import Testing

@testable import VaultModel

@Suite("VaultError")
struct VaultErrorTests {
  /// The status of the C API and the name in JSON: neither ever changes.
  static let codes: [(VaultError.Code, raw: Int32, name: String)] = [
    (.internalError, 1, "internal-error"), (.invalidArgument, 2, "invalid-argument"),
    (.locked, 3, "locked"), (.itemNotFound, 4, "item-not-found"),
    (.duplicateItem, 5, "duplicate-item"),
    (.ambiguous, 6, "ambiguous"), (.expired, 7, "expired"), (.conflict, 8, "conflict"),
    (.damaged, 9, "damaged"), (.vaultNotFound, 10, "vault-not-found"),
    (.authenticationFailed, 11, "authentication-failed"), (.readOnly, 12, "read-only"),
    (.rolledBack, 13, "rolled-back"), (.forked, 14, "forked"),
    (.policyRefused, 15, "policy-refused"), (.invalidData, 16, "invalid-data"),
    (.notAVault, 17, "not-a-vault"), (.missingInput, 18, "missing-input"),
    (.unavailable, 19, "unavailable"), (.outOfMemory, 20, "out-of-memory"),
    (.vaultExists, 21, "vault-exists"), (.cannotCreate, 22, "cannot-create"),
    (.inputOutput, 23, "input-output"), (.outcomeUnknown, 24, "outcome-unknown"),
    (.busy, 25, "busy"),
    (.tooNew, 26, "too-new"), (.unsafePermissions, 27, "unsafe-permissions"),
    (.configuration, 28, "configuration"), (.interrupted, 29, "interrupted"),
    (.tooLarge, 30, "too-large"), (.unsupported, 31, "unsupported"), (.closed, 32, "closed"),
    (.anotherVault, 33, "another-vault"),
    (.unsupportedAlgorithm, 34, "unsupported-algorithm"), (.tooCostly, 35, "too-costly"),
    (.missingIdentity, 36, "missing-identity"),
    (.missingCertificate, 37, "missing-certificate"), (.pinRequired, 38, "pin-required"),
    (.tooManyAttempts, 39, "too-many-attempts"),
  ]

  @Test("every code keeps its number and name", arguments: codes)
  func code(code: VaultError.Code, raw: Int32, name: String) {
    #expect(code.rawValue == raw)
    #expect(code.description == name)
    #expect(VaultError.Code(rawValue: raw) == code)
  }

  @Test("the table is whole, and an unknown code is kept and shown as its number")
  func complete() {
    #expect(Self.codes.map(\.raw) == Array(1...39))
    for raw in [40, -1, .max, .min] as [Int32] {
      #expect(VaultError.Code(rawValue: raw).rawValue == raw)
      #expect(VaultError.Code(rawValue: raw).description == "code-\(raw)")
    }
  }

  @Test("errors are equal by code alone and are caught by it")
  func equality() {
    let error = VaultError(.locked, "a", underlying: .errno(1))
    #expect(error == VaultError(.locked, "b"))
    #expect(error.hashValue == VaultError(.locked, "b").hashValue)
    #expect(error != VaultError(.busy, "a", underlying: .errno(1)))
    struct Other: Error {}
    for (thrown, expected) in [(error, true), (Other(), false), (VaultError(.busy, ""), false)]
      as [(any Error, Bool)]
    {
      var isLocked = false
      do { throw thrown } catch VaultError.Code.locked { isLocked = true } catch {}
      #expect(isLocked == expected)
    }
  }

  @Test("the description is the code, the context and the error below, and not the place")
  func description() {
    #expect(VaultError(.locked, "").description == "locked")
    #expect(VaultError(.itemNotFound, "no item").description == "item-not-found: no item")
    #expect(
      VaultError(.inputOutput, "read head", underlying: .errno(5)).description
        == "input-output: read head (errno 5)")
    #expect(
      VaultError(.busy, "begin", underlying: .sqlite(261)).description
        == "busy: begin (sqlite 261)")
    #expect(VaultError(.busy, "", underlying: .sqlite(5)).description == "busy (sqlite 5)")
  }

  @Test("people read a number of SQLite's only where the words do not say what is wrong")
  func text() {
    #expect(VaultError(.busy, "it is held", underlying: .sqlite(5)).text == "it is held")
    #expect(
      VaultError(.inputOutput, "a write failed", underlying: .sqlite(778)).text
        == "a write failed (sqlite 778)")
    #expect(VaultError(.cannotCreate, "x", underlying: .errno(2)).text.hasPrefix("x: "))
  }

  @Test("the place where an error was made is known")
  func location() {
    let error = VaultError(.locked, "x"); let line = #line
    #expect(error.location == "VaultModelTests/VaultErrorTests.swift:\(line)")
    #expect(error.context == "x")
    #expect(error.underlying == nil)
    #expect(VaultError(.busy, "", underlying: .errno(11)).underlying == .errno(11))
  }

  @Test("candidates have no secrets")
  func candidates() {
    var item = Item(account: "alice", secret: Secret("Tr0ub4dor"))
    item.refreshToken = Secret("Tr0ub4dor")
    item.comment = "kept"
    let error = VaultError(.ambiguous, "two users", candidates: [item])
    #expect(error.candidates.map(\.account) == ["alice"])
    #expect(error.candidates.map(\.comment) == ["kept"])
    #expect(error.candidates.map(\.id) == [item.id])
    #expect(error.candidates.allSatisfy { $0.secret == nil && $0.refreshToken == nil })
    #expect(item.secret != nil && item.refreshToken != nil)
    #expect(VaultError(.locked, "").candidates.isEmpty)
  }

  @Test("an error is small enough to be thrown in registers")
  func size() {
    #expect(MemoryLayout<VaultError>.size <= 16)
  }
}
