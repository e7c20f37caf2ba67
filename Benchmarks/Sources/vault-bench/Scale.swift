/// The time and memory that a vault takes as it grows: lookup, opening, list, adding and import.
struct Scale {
  let report: Report
  let vaultctl: String?

  func run(_ sizes: [Int], folder: String, key: String) throws {
    let program = try Options.ownPath()
    let all = try sizes.map { try Stores(count: $0, folder: "\(folder)/\($0)", key: key) }
    defer { all.forEach { $0.subject.close() } }
    for stores in all {
      let lookups = Lookups(stores: stores, report: report, program: program)
      try lookups.hit()
      try lookups.first()
      try lookups.list()
      try Writes(stores: stores, report: report).run()
      if let vaultctl {
        try Imports(stores: stores, report: report, vaultctl: vaultctl)
          .run(memoryAtMost: Self.mostMemory(stores.count))
      }
    }
    if let small = all.first, let large = all.last, small.count < large.count {
      try Growth(small: small, large: large, report: report, program: program).run()
    }
    for stores in all {
      let whole = Whole(stores: stores, report: report, program: program)
      try whole.memoryOfLookups(atMost: 200)
      try whole.memory(atMost: Self.mostMemory(stores.count))
    }
  }

  /// Returns the MiB of a process that has all items at once: 1 KiB for each, but at least 200 MiB.
  private static func mostMemory(_ count: Int) -> Double { max(200, Double(count) / 1024) }
}
