import AttackSupport
import SealedTree
import SecureMemory
import Testing
import VaultStore
import VaultModel

/// A program that continues after an error within a transaction.
@Suite struct SwallowTests {
  @Test func `A change that met damage half-way is not written, even if the body goes on`() throws {
    let fixture = try VaultFixture(holding: Workload.spread)
    let generation = try fixture.withStore { (store) throws(VaultError) in
      try store.information().generation
    }
    try Database.run("UPDATE node SET sealed = zeroblob(512) WHERE id = 1", on: fixture.vault)
    let outcome = Result {
      try fixture.withStore { (store) throws(VaultError) in
        try store.write { (transaction) throws(VaultError) in
          for number in 0..<200 {
            let host = HostName(canonical: "host-\(number).example")
            do throws(VaultError) {
              // As the tree grows, the damaged bucket has to be split.
              _ = try transaction.add(Item(server: host, secret: Secret("new")))
            } catch {
              continue
            }
          }
        }
      }
    }
    #expect(throws: VaultError.self) { try outcome.get() }
    let now = try fixture.withStore { (store) throws(VaultError) in
      try store.information().generation
    }
    #expect(now == generation)
  }

  @Test func `A duplicate or missing item does no harm to the rest of a transaction`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    try fixture.withStore { (store) throws(VaultError) in
      try store.write { (transaction) throws(VaultError) in
        _ = try transaction.add(Workload.item("before", "before"))
        for item in Workload.add.base {
          do throws(VaultError) {
            _ = try transaction.add(item)
          } catch {
            guard error.code == .duplicateItem else { throw error }
          }
        }
        do throws(VaultError) {
          try transaction.remove(
            ItemID(), hint: Item.Key(server: HostName(canonical: "host0.example.com")))
        } catch {
          guard error.code == .itemNotFound else { throw error }
        }
        _ = try transaction.add(Workload.item("after", "after"))
      }
    }
    var expected = Workload.add.state(after: 0)
    expected["before"] = "before"
    expected["after"] = "after"
    #expect(try fixture.contents() == expected)
    #expect(try fixture.problems() == [])
  }
}
