/// What a vault takes as it grows: lookup, opening, list, adding, import and memory.
struct Scale {
  let report: Report
  let vaultctl: String?

  func run(_ sizes: [Int], folder: String, key: String) throws {
    for size in sizes {
      let stores = try Stores(count: size, folder: "\(folder)/\(size)", key: key)
      defer {
        stores.subject.close()
        Stores.remove(stores.vaultPath)
        Stores.remove(stores.peerPath)
      }
      let program = try Options.ownPath()
      let lookups = Lookups(stores: stores, report: report, program: program)
      try lookups.hit()
      try lookups.first()
      try lookups.list()
      try Writes(stores: stores, report: report).run()
      if let vaultctl {
        try Imports(stores: stores, report: report, vaultctl: vaultctl).run()
      }
      // It holds a list of all items.
      try Whole(stores: stores, report: report, program: program).memory(limit: nil)
    }
    report.addGrowth(of: [Lookups.hitWork, Lookups.firstWork] + Writes.singleWorks, limit: 2)
  }
}
