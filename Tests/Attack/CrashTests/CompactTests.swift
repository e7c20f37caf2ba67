import AttackSupport
import SealedTree
import TestTraits
import Testing
import VaultStore
import VaultModel

/// A vault that is compacted while others have it open.
@Suite(.waiting) struct CompactTests {
  @Test func `Others that read and write meanwhile see whole answers, and lose nothing`() throws {
    let fixture = try VaultFixture(holding: Workload.remove.base)
    try fixture.withStore { (store) throws(VaultError) in
      try store.write { (transaction) throws(VaultError) in
        for item in try transaction.find(ItemQuery(), withSecrets: true).dropFirst(100) {
          try transaction.remove(item.id, hint: item.key, removal: .permanent)
        }
      }
    }
    let before = try File.read(fixture.vault).count
    let reader = try fixture.driver("read")
    let writer = try fixture.driver("add", ["name": "w", "count": "60"])
    try fixture.withStore { (store) throws(VaultError) in
      for _ in 0..<20 { _ = try store.compact() }
    }
    #expect(writer.lines() == ["done"])
    #expect(writer.wait() == .exited(0))
    reader.tell("")
    let said = reader.lines()
    #expect(said.count == 1 && said[0].hasPrefix("good"), "\(said)")
    #expect(reader.wait() == .exited(0))
    #expect(try fixture.contents().count == 100 + 120)
    #expect(try fixture.problems() == [])
    #expect(try File.read(fixture.vault).count < before / 2)
  }
}
