import AttackSupport
import SealedTree
import Testing
import VaultFile
import VaultModel

/// A vault that is compacted while others have it open.
@Suite struct CompactTests {
  @Test func `Others that read and write meanwhile see whole answers, and lose nothing`() throws {
    let scene = try Scene(holding: Workload.remove.base)
    try scene.withStore { (store) throws(VaultError) in
      try store.write { (transaction) throws(VaultError) in
        for item in try transaction.find(ItemQuery(), secrets: true).dropFirst(100) {
          try transaction.remove(item.id, hint: item.key, isForGood: true)
        }
      }
    }
    let before = try File.read(scene.vault).count
    let reader = try scene.driver("read")
    let writer = try scene.driver("add", ["name": "w", "count": "60"])
    try scene.withStore { (store) throws(VaultError) in
      for _ in 0..<20 { _ = try store.compact() }
    }
    #expect(writer.lines() == ["done"])
    #expect(writer.wait() == .exited(0))
    reader.tell("")
    let said = reader.lines()
    #expect(said.count == 1 && said[0].hasPrefix("good"), "\(said)")
    #expect(reader.wait() == .exited(0))
    #expect(try scene.contents().count == 100 + 120)
    #expect(try scene.problems() == [])
    #expect(try File.read(scene.vault).count < before / 2)
  }
}
