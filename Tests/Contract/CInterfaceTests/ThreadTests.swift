import CVault
import CredentialVault
import SecureMemory
import TestSupport
import Testing
import VaultC

/// Also for ThreadSanitizer, which does not see into a C program's library.
@Suite("threads that share handles of the C interface")
struct ThreadTests {
  private static let threads = 8

  /// Runs `body` in as many threads at once, and returns how often it failed.
  private static func failures(_ body: @escaping @Sendable (Int) throws -> Void) -> Int {
    let failed = Lock(0)
    inThreads(threads) { thread in
      do {
        try body(thread)
      } catch {
        failed.withLock { $0 += 1 }
      }
    }
    return failed.withLock { $0 }
  }

  @Test("items are added, changed and deleted side by side, and every count is exact")
  func items() throws {
    let vault = try CVaultObject.inMemory()
    let failures = Self.failures { thread in
      for round in 0..<40 {
        let attributes = try CAttributes([VAULT_ACCOUNT.rawValue: "\(thread)-\(round)"])
        _ = try vault.add(attributes)
        try attributes.set(VAULT_COMMENT, "changed")
        let item = try vault.findUnique(CAttributes([VAULT_ACCOUNT.rawValue: "\(thread)-\(round)"]))
        try item.modify(attributes)
        if round % 4 == 0 { try item.remove() }
      }
    }
    #expect(failures == 0)
    #expect(try vault.count(nil) == Self.threads * 30)
    #expect(try vault.count(CAttributes([VAULT_COMMENT.rawValue: "changed"])) == Self.threads * 30)
  }

  @Test("an item is changed alone and in transactions side by side, and nothing waits for ever")
  func transactions() throws {
    StateFolder.useOwn()
    let folder = try TemporaryFolder()
    let vault = try CVaultObject.inFile(of: folder)
    let item = try vault.add(
      CAttributes([VAULT_ACCOUNT.rawValue: "ann"]), VAULT_PERSISTENCE_PERMANENT)
    let failures = Self.failures { thread in
      for round in 0..<10 {
        let changes = try CAttributes()
        try changes.set(custom: "\(thread)", "\(round)")
        guard thread % 2 == 0 else {
          try item.modify(changes)
          continue
        }
        try vault.transaction { _ in
          try item.modify(changes)
          guard try item.custom("\(thread)") == "\(round)" else { throw Failure(VAULT_CONFLICT) }
        }
      }
    }
    #expect(failures == 0)
    let found = try vault.find(nil)
    for thread in 0..<Self.threads { #expect(try found.custom("\(thread)") == "9") }
  }

  @Test("one item and one set of attributes are used by all, and no change is lost")
  func shared() throws {
    let vault = try CVaultObject.inMemory()
    let attributes = try CAttributes([VAULT_ACCOUNT.rawValue: "ann"], secret: "s")
    let item = try vault.add(attributes)
    let before = try item.number(VAULT_REVISION)
    let failures = Self.failures { thread in
      for round in 0..<40 {
        try check(unsafe vault_item_retain(item.handle))
        let changes = try CAttributes()
        try changes.set(custom: "\(thread)", "\(round)")
        try item.modify(changes)
        try attributes.set(VAULT_LABEL, "\(thread) \(round)")
        guard try item.text(VAULT_ACCOUNT) == "ann", try item.custom("\(thread)") == "\(round)"
        else { throw Failure(VAULT_CONFLICT) }
        try check(unsafe vault_item_release(item.handle))
      }
    }
    #expect(failures == 0)
    for thread in 0..<Self.threads { #expect(try item.custom("\(thread)") == "39") }
    #expect(try item.number(VAULT_REVISION) >= before + UInt64(40 * Self.threads))
    #expect(try vault.find(nil).number(VAULT_REVISION) == item.number(VAULT_REVISION))
  }

  @Test("owners are counted exactly while all retain and release")
  func owners() throws {
    let vault = try CVaultObject.inMemory()
    var item: OpaquePointer?
    let attributes = try CAttributes([VAULT_ACCOUNT.rawValue: "ann"])
    try check(
      unsafe vault_add(vault.handle, attributes.handle, VAULT_PERSISTENCE_SESSION, 0, &item))
    let address = UInt(bitPattern: item)
    let failures = Self.failures { thread in
      // The handle is only passed on.
      let item = unsafe OpaquePointer(bitPattern: address)
      for _ in 0..<20_000 { try check(unsafe vault_item_retain(item)) }
      for _ in 0..<20_000 { try check(unsafe vault_item_release(item)) }
    }
    #expect(failures == 0)
    #expect(unsafe vault_item_release(item) == VAULT_OK)
    #expect(unsafe vault_item_release(item) == VAULT_INVALID_ARGUMENT)
  }

  @Test("of all that release an item at once as many succeed as there were owners")
  func releases() throws {
    let vault = try CVaultObject.inMemory()
    let attributes = try CAttributes([VAULT_ACCOUNT.rawValue: "ann"])
    for _ in 0..<50 {
      let item = try vault.upsert(attributes)
      for _ in 1..<Self.threads { try check(unsafe vault_item_retain(item.handle)) }
      let released = Lock(0)
      let failures = Self.failures { _ in
        for _ in 0..<2 where unsafe vault_item_release(item.handle) == VAULT_OK {
          released.withLock { $0 += 1 }
        }
      }
      #expect(failures == 0)
      #expect(released.withLock { $0 } == Self.threads)
      #expect(unsafe vault_item_retain(item.handle) == VAULT_INVALID_ARGUMENT)
    }
  }

  @Test("of all that close a vault at once one succeeds")
  func closes() throws {
    let folder = try TemporaryFolder()
    try KeyFile.create(at: folder.file("key"))
    try Vault.create(path: folder.file("vault"), key: .keyFile(folder.file("key"))).close()
    for _ in 0..<200 {
      var vault: OpaquePointer?
      // Closing a file takes long enough for the others to arrive.
      try check(unsafe vault_open_locked(folder.file("vault"), &vault))
      let address = UInt(bitPattern: vault)
      let closed = Lock(0)
      let failures = Self.failures { _ in
        // The handle is only passed on.
        try check(unsafe vault_close(OpaquePointer(bitPattern: address)))
        closed.withLock { $0 += 1 }
      }
      #expect(closed.withLock { $0 } == 1)
      #expect(failures == Self.threads - 1)
    }
  }
}
