import AttackSupport
import Testing
import VaultModel
import VaultStorage

/// A vault that shrinks under those who have it open.
@Suite struct CompactTests {
  @Test func `Another process that reads meanwhile sees whole answers, and goes on writing`() throws {
    let scene = try Scene(holding: Workload.remove.base)
    let reader = try scene.driver("read")
    let writer = try scene.driver("add", ["name": "w", "count": "60"])
    try scene.withStore { (store) throws(VaultError) in
      for number in 0..<20 {
        try store.write { (transaction) throws(VaultError) in
          for base in Workload.remove.base[number * 50..<number * 50 + 50] {
            for item in try transaction.find(ItemQuery(key: base.key)) {
              try transaction.delete(item.id, hint: item.key)
            }
          }
        }
        _ = try store.compact()
      }
    }
    #expect(writer.lines() == ["done"])
    #expect(writer.wait() == .exited(0))
    reader.tell("")
    // Fewer items than before is what this test itself brings about; a torn pair is not.
    #expect(reader.lines().allSatisfy { $0.hasPrefix("good") || $0 == "fewer items than before" })
    #expect(reader.wait() == .exited(0))
    #expect(try scene.contents().count == 200 + 120)
    #expect(try scene.problems() == [])
  }
}
