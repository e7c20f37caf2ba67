import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultStore
import VaultModel

/// An item in the trash stays there, in every copy of the vault, until its retention ends.
@Suite("a trash's travels")
struct TrashTravelTests {
  @Test("the trash is the same after it", arguments: VaultOperation.allCases)
  func travel(_ journey: VaultOperation) throws {
    let fixture = try StoreFixture()
    let host = try HostName("h.example")
    try fixture.store.write { (transaction) throws(VaultError) in
      try transaction.setTrashDays(90)
      transaction.keepsForPrograms = true
      for number in 0..<80 {
        let item = try transaction.add(
          Item(server: host, account: "\(number)", secret: Secret("one")))
        let second = number == 7 ? Secret([UInt8](repeating: 1, count: 2000)) : Secret("two")
        _ = try transaction.modify(item.id, hint: item.key, [.secret(second)])
        if number > 0 { try transaction.remove(item.id, hint: item.key) }
      }
    }
    let before = try fixture.store.trash(ItemQuery())
    let store = try journey.take(fixture) { store in
      try store.write { (transaction) throws(VaultError) in
        _ = try transaction.emptyTrash(ItemQuery())
      }
    }
    let isWithoutHead = journey == .salvageWithoutHead
    #expect(try store.verify().problems == [])
    #expect(try store.trashDays == (isWithoutHead ? 30 : 90))
    #expect(try store.keepsForPrograms == !isWithoutHead)
    #expect(try Set(store.trash(ItemQuery()).map(\.id)) == Set(before.map(\.id)))
    try store.write { (transaction) throws(VaultError) in
      for removed in try transaction.trash(ItemQuery()) {
        _ = try transaction.restore(removed, until: nil)
      }
    }
    let all = try store.find(ItemQuery(), withSecrets: true)
    #expect(all.count == 80)
    for item in all {
      let history = try store.history(of: item.id, hint: item.key, withSecrets: true)
      #expect(history.map { $0.secret?.count } == [3])
      #expect(item.secret?.count == (item.account == "7" ? 2000 : 3))
    }
    #expect(try store.verify().problems == [])
  }
}
