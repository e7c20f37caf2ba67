import SealedTree
import SecureMemory
import TestSupport
import Testing
import VaultModel
import VaultStore

@Suite("any store: revisions")
struct RevisionTests {
  @Test(
    "a change or deletion that was meant for this revision is made", arguments: StoreKind.allCases)
  func same(kind: StoreKind) throws {
    let place = try kind.make()
    let added = try place.store.add(item())
    let changed = try place.store.modify(
      added.id, hint: added.key, [.comment("x")], revision: added.revision)
    #expect(changed.comment == "x" && changed.revision > added.revision)
    try place.store.remove(added.id, hint: added.key, revision: changed.revision)
    #expect(try place.find().isEmpty)
  }

  @Test(
    "one that was meant for another is a conflict, which has the item as it is",
    arguments: StoreKind.allCases)
  func other(kind: StoreKind) throws {
    let place = try kind.make()
    let added = try place.store.add(item())
    let changed = try place.modify(added, .comment("of somebody else"))
    let before = try place.contents()
    func expectConflict(
      from location: SourceLocation = #_sourceLocation, _ body: () throws -> Void
    ) throws {
      let error = #expect(throws: VaultError.self, sourceLocation: location) { try body() }
      #expect(error?.code == .conflict, sourceLocation: location)
      let candidate = try #require(error?.candidates.first, sourceLocation: location)
      #expect(candidate.revision == changed.revision, sourceLocation: location)
      #expect(candidate.comment == "of somebody else", sourceLocation: location)
      #expect(candidate.secret == nil, sourceLocation: location)
      #expect(try place.contents() == before, sourceLocation: location)
    }
    for revision in [added.revision, changed.revision + 1, 0] {
      try expectConflict {
        _ = try place.store.modify(
          added.id, hint: added.key, [.secret(Secret("mine"))], revision: revision)
      }
      // Also if nothing would change: a caller that passes a revision wants to know.
      try expectConflict {
        _ = try place.store.modify(added.id, hint: added.key, [], revision: revision)
      }
      try expectConflict {
        try place.store.remove(added.id, hint: added.key, revision: revision)
      }
    }
    let history = try place.store.history(of: added.id, hint: added.key, withSecrets: false)
    #expect(history.isEmpty)
  }

  @Test("an item that is gone is not found, whatever its revision", arguments: StoreKind.allCases)
  func gone(kind: StoreKind) throws {
    let place = try kind.make()
    let added = try place.store.add(item())
    try place.remove(added)
    expect(.itemNotFound) {
      _ = try place.store.modify(
        added.id, hint: added.key, [.comment("x")], revision: added.revision)
    }
    expect(.itemNotFound) {
      try place.store.remove(added.id, hint: added.key, revision: added.revision)
    }
  }

  @Test("a change that changes nothing keeps the revision", arguments: StoreKind.allCases)
  func nothing(kind: StoreKind) throws {
    let place = try kind.make()
    let added = try place.store.add(item())
    let same = try place.store.modify(
      added.id, hint: added.key, [.secret(Secret("one")), .comment("")], revision: added.revision)
    #expect(same.revision == added.revision)
    #expect(try place.find().map(\.revision) == [added.revision])
  }
}
