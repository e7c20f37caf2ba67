import Testing

@Suite("parity with the keychain")
struct ParityTests {
  @Test("every row holds, wherever it can be said", arguments: Case.inHere)
  func holds(_ one: Case) throws {
    let (scenario, expected) = try #require(one.row.run(in: one.setup))
    let seen = try scenario.run(in: one.setup)
    #expect(seen == expected, "\(one.row.apple)")
  }

  @Test("every row that needs an environment of its own holds in one", arguments: Case.alone)
  func holdsAlone(_ one: Case) async {
    let (id, setup) = (one.row.id, one.setup)
    await #expect(processExitsWith: .success) { [id = id as String, setup = setup as Setup] in
      let row = try #require(Row.all.first { $0.id == id })
      let (scenario, expected) = try #require(row.run(in: setup))
      let seen = try scenario.run(in: setup)
      #expect(seen == expected, "\(row.apple)")
    }
  }
}

/// A row in one setup.
struct Case: Sendable, CustomTestStringConvertible {
  let row: Row
  let setup: Setup

  var testDescription: String { "\(row.id): \(setup.interface), \(setup.store)" }

  static let all = Row.all.flatMap { row in
    Setup.allCases.filter { row.run(in: $0) != nil }.map { Case(row: row, setup: $0) }
  }
  static let inHere = all.filter { !$0.row.isAlone }
  static let alone = all.filter(\.row.isAlone)
}

extension Row {
  static let all =
    FindRows.rows + AddRows.rows + ModifyRows.rows + CopyRows.rows + ItemRows.rows
    + SecItemRows.rows + CodeRows.rows + KeychainFileRows.rows + StatusRows.rows + SpellingRows.rows
    + StorageRows.rows + IdentityRows.rows + TrustRows.rows + ObjectRows.rows
}
