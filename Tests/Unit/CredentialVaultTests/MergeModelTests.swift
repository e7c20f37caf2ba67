import Testing

@Suite("Vault: copies that are changed and merged at random")
struct MergeModelTests {
  @Test(
    "of two, a change in one wins unasked, one in both is a conflict, and no secret is lost",
    arguments: 0..<12)
  func two(seed: Int) throws {
    var model = try MergeModel(copies: 2, restores: false, seed: seed)
    try model.run(steps: 60)
    #expect(model.needlessConflicts == 0 && model.merges > 5)
  }

  @Test("of three, no change in both goes unasked, and no secret is lost", arguments: 0..<24)
  func three(seed: Int) throws {
    var model = try MergeModel(copies: 3, restores: seed % 2 == 1, seed: seed)
    try model.run(steps: 80)
    // A change that came by way of the third copy may look like one of the second.
    #expect(model.merges > 5 && model.needlessConflicts * 2 <= model.conflicts)
  }
}
