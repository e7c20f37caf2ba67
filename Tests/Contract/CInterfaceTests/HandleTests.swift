import CVault
import Testing
import TestSupport
import VaultC

@testable import SecureMemory

@Suite("handles of the C interface")
struct HandleTests {
  @Test("a handle that was released stays invalid although its place has a new owner")
  func released() throws {
    let vault = try CVaultObject.inMemory()
    let attributes = try CAttributes([VAULT_ACCOUNT.rawValue: "ann"])
    var item: OpaquePointer?
    try check(
      unsafe vault_add(vault.handle, attributes.handle, VAULT_PERSISTENCE_SESSION, 0, &item))
    try check(unsafe vault_item_release(item))
    for _ in 0..<100 {
      var other: OpaquePointer?
      try check(unsafe vault_find(vault.handle, nil, 0, &other))
      #expect(unsafe other != item)
      #expect(unsafe vault_remove(item, 0) == VAULT_INVALID_ARGUMENT)
      #expect(unsafe vault_item_release(item) == VAULT_INVALID_ARGUMENT)
      #expect(unsafe vault_item_retain(item) == VAULT_INVALID_ARGUMENT)
      try check(unsafe vault_item_release(other))
    }
    #expect(try vault.count(nil) == 1)
  }

  @Test("an item lives until its last owner releases it")
  func owners() throws {
    let vault = try CVaultObject.inMemory()
    let attributes = try CAttributes([VAULT_ACCOUNT.rawValue: "ann"])
    let item = try vault.add(attributes)
    for _ in 0..<3 { try check(unsafe vault_item_retain(item.handle)) }
    for _ in 0..<3 { try check(unsafe vault_item_release(item.handle)) }
    #expect(try item.text(VAULT_ACCOUNT) == "ann")
  }

  @Test("a handle of another kind is refused")
  func kinds() throws {
    let vault = try CVaultObject.inMemory()
    let attributes = try CAttributes([VAULT_ACCOUNT.rawValue: "ann"])
    let item = try vault.add(attributes)
    var place: OpaquePointer?
    #expect(
      unsafe vault_find(item.handle, nil, 0, &place) == VAULT_INVALID_ARGUMENT)
    #expect(
      unsafe vault_find(vault.handle, vault.handle, 0, &place) == VAULT_INVALID_ARGUMENT)
    #expect(unsafe vault_item_release(attributes.handle) == VAULT_INVALID_ARGUMENT)
    #expect(unsafe vault_attributes_free(vault.handle) == VAULT_INVALID_ARGUMENT)
    #expect(unsafe vault_close(item.handle) == VAULT_INVALID_ARGUMENT)
    #expect(unsafe place == nil)
    #expect(try item.text(VAULT_ACCOUNT) == "ann")
  }

  @Test("any bits are refused where a handle is wanted")
  func bits() throws {
    var random = SplitMix(seed: 1)
    for bit in 0..<64 as Range<UInt64> {
      // The first places may be in use by other tests, which run meanwhile.
      let odd: UInt64 = bit < 32 ? 1 << bit | 1 : 1 << bit | 0xFFFF_FFFF
      for bits in [1 << bit, odd, random.next(), random.next() | 1] as [UInt64] {
        // Nobody reads through it.
        let pointer = unsafe OpaquePointer(bitPattern: UInt(bits))
        #expect(unsafe vault_item_retain(pointer) == VAULT_INVALID_ARGUMENT)
      }
    }
    #expect(vault_item_retain(nil) == VAULT_INVALID_ARGUMENT)
  }

  @Test("an item stays readable when its vault is closed, and can do nothing more")
  func closed() throws {
    let vault = try CVaultObject.inMemory()
    let attributes = try CAttributes([VAULT_ACCOUNT.rawValue: "ann"], secret: "s")
    _ = try vault.add(attributes)
    let item = try vault.find(nil)
    let opened = try vault.find(nil, VAULT_WITH_SECRETS)
    try check(unsafe vault_close(vault.handle))
    #expect(try item.text(VAULT_ACCOUNT) == "ann")
    #expect(try opened.secret() == "s")
    #expect(throws: Failure(VAULT_CLOSED)) { try item.secret() }
    #expect(throws: Failure(VAULT_CLOSED)) { try item.modify(attributes) }
    #expect(throws: Failure(VAULT_CLOSED)) { try item.remove() }
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try vault.count(nil) }
    #expect(unsafe vault_close(vault.handle) == VAULT_INVALID_ARGUMENT)
  }

  @Test("a failure leaves what it would have returned as it was, and says what it was")
  func failure() throws {
    let vault = try CVaultObject.inMemory()
    let marker = unsafe OpaquePointer(bitPattern: 0x1234_5678)
    var item = unsafe marker
    #expect(unsafe vault_find(vault.handle, nil, 0, &item) == VAULT_ITEM_NOT_FOUND)
    #expect(unsafe item == marker)
    let text = try unsafe #require(vault_last_error())
    #expect(unsafe String(cString: text) == "no item matches")
    var items: UnsafeMutablePointer<OpaquePointer?>? = unsafe .init(bitPattern: 0x1000)
    var count = 77
    #expect(
      unsafe vault_find_all(vault.handle, nil, 64, 0, &items, &count) == VAULT_INVALID_ARGUMENT)
    #expect(unsafe items == .init(bitPattern: 0x1000))
    #expect(count == 77)
  }

  @Test("a buffer is emptied when it is freed, and can be freed again")
  func buffers() throws {
    let vault = try CVaultObject.inMemory()
    let item = try vault.add(CAttributes([VAULT_ACCOUNT.rawValue: "ann"]))
    var buffer = unsafe vault_buffer_t()
    try check(unsafe vault_item_copy_text(item.handle, VAULT_ACCOUNT, &buffer))
    #expect(unsafe buffer.count == 3)
    for _ in 0..<2 {
      unsafe vault_buffer_free(&buffer)
      #expect(unsafe buffer.bytes == nil && buffer.count == 0)
    }
    vault_buffer_free(nil)
    #expect(vault_attributes_free(nil) == VAULT_OK)
    #expect(vault_item_release(nil) == VAULT_OK)
    vault_items_free(nil, 3)
  }

  @Test(
    "secrets of any bytes and every size come back, with NUL behind them",
    arguments: [0, 1, 15, 16, 4096, 1 << 20])
  func secrets(_ count: Int) throws {
    let vault = try CVaultObject.inMemory()
    let attributes = try CAttributes()
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    try check(unsafe vault_attributes_set_secret(attributes.handle, bytes, count))
    let item = try vault.add(attributes)
    for item in [item, try vault.find(nil), try vault.find(nil, VAULT_WITH_SECRETS)] {
      var secret = unsafe vault_buffer_t()
      try check(unsafe vault_item_copy_secret(item.handle, &secret))
      let start = try unsafe #require(secret.bytes)
      #expect(unsafe secret.count == count)
      #expect(
        unsafe UnsafeRawBufferPointer(start: start, count: count + 1).elementsEqual(bytes + [0]))
      unsafe vault_buffer_free(&secret)
    }
  }
}
