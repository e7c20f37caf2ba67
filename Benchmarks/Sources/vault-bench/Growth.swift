import CredentialVault
import VaultModel

/// The factor by which the same takes longer in a large vault than in a small one, in turns.
struct Growth {
  let small: Stores
  let large: Stores
  let report: Report
  let program: String

  func run() throws {
    try compare(Lookups.hitWork, 21) { stores, _ in try Lookups.pass(stores) }
    try compare(Lookups.firstWork, Processes.rounds) { stores, _ in
      try Lookups.first(.firstVault, stores.vaultPath, stores, program)
    }
    try compare("add one, durable", Writes.changes) { stores, round in
      let item = try Sample(number: stores.count * 7 + round).item()
      let time = try seconds { try stores.subject.vault.add(item) }
      // What is measured after this counts the items.
      try stores.subject.vault.remove(item)
      return time
    }
    try compare("modify one, durable", Writes.changes) { stores, round in
      let known = stores.lookups[stores.lookups.count - 1 - round]
      let query = Sample.query(known.space, known.account)
      guard let item = try stores.subject.vault.findAll(query).first else {
        throw Failure("not found")
      }
      let secret = Sample.freshSecret()
      return try seconds { try stores.subject.vault.modify(item, [.secret(secret)]) }
    }
  }

  private func compare(
    _ work: String, _ rounds: Int, _ measure: (Stores, Int) throws -> Double
  ) throws {
    var pairs = Pairs()
    for round in 0...rounds {
      let (ours, peer) = (try measure(large, round), try measure(small, round))
      // The first pair is not counted.
      if round > 0 { pairs.append(ours, peer) }
    }
    report.add(
      "growth: \(work); against the same with \(Report.power(small.count)) items", large.count,
      pairs, .ratio(2))
  }
}
