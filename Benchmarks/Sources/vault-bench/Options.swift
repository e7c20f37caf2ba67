import CredentialVault
import Glibc

/// The benchmarks to run.
struct Options {
  private var sizes = [1000, 10_000, 100_000]
  private var vaultctl: String?
  private var lookup: String?
  private var folder = "/var/tmp"
  /// Whether only what shows the growth with the number of items is measured.
  private var isScale = false

  static let usage = """
    usage: vault-bench [--sizes 1000,10000,100000] [--folder DIR] \
    [--vaultctl PROGRAM --sqlite-lookup PROGRAM] [--scale yes]
    """

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      guard let value = rest.popFirst() else { throw Failure(Self.usage) }
      switch name {
      case "--sizes":
        sizes = value.split(separator: ",").compactMap { Int($0) }.filter { $0 >= 1000 }
      case "--vaultctl": vaultctl = value
      case "--sqlite-lookup": lookup = value
      case "--folder": folder = value
      case "--scale": isScale = value == "yes"
      default: throw Failure(Self.usage)
      }
    }
    guard !sizes.isEmpty else { throw Failure(Self.usage) }
  }

  func run() throws {
    let work = "\(folder)/vault-bench-\(getpid())"
    guard unsafe mkdir(work, 0o700) == 0 else { throw Failure("\(work): errno \(errno)") }
    // The state that this run leaves is removed with the folder.
    unsafe setenv("XDG_STATE_HOME", work, 1)
    defer { _ = try? Child.run("/bin/rm", ["-r", "--", work]) }
    let key = "\(work)/key"
    try KeyFile.create(at: key)
    let report = Report()
    if isScale {
      try Scale(report: report, vaultctl: vaultctl).run(sizes, folder: work, key: key)
    } else {
      try everything(in: work, key: key, report)
    }
    print(report.markdown, terminator: "")
  }

  private func everything(in work: String, key: String, _ report: Report) throws {
    let policies = Policies(report: report)
    try policies.decisions()
    try Challenges(report: report).run()
    try Trust(report: report).run()
    try Heartbeat(report: report, folder: work).run()
    for size in sizes {
      let stores = try Stores(count: size, folder: "\(work)/\(size)", key: key)
      try Sessions(count: size, report: report).run()
      try policies.sessions(size)
      try policies.lookups(stores)
      try Lookups(stores: stores, report: report, program: Self.ownPath()).run()
      try CInterface(stores: stores, report: report).lookups()
      try Services(stores: stores, report: report).lookups()
      if size == sizes.first { try Identities(stores: stores, report: report).run() }
      if size == sizes.first { try Dictionaries(stores: stores, report: report).lookups() }
      try Writes(stores: stores, report: report).run()
      try CInterface(stores: stores, report: report).writes("durable")
      try whole(size, in: work, key: key, report)
      try withoutDisk(size, key: key, report)
      if let vaultctl, let lookup {
        try Processes(stores: stores, report: report, vaultctl: vaultctl, lookup: lookup).run()
        try Imports(stores: stores, report: report, vaultctl: vaultctl).run()
      } else {
        report.note("one process: `vaultctl find -w`; C program with SQLite", size)
      }
      stores.subject.close()
    }
  }

  /// Measures vaults as they were filled: in the one of the changes there is a trash, a log and a
  /// history, and SQLite keeps none.
  private func whole(_ size: Int, in work: String, key: String, _ report: Report) throws {
    let stores = try Stores(count: size, folder: "\(work)/\(size)-filled", key: key)
    try Whole(stores: stores, report: report, program: Self.ownPath()).run()
    stores.subject.close()
  }

  /// Repeats the measurements in a folder that the system keeps in memory, if there is one.
  private func withoutDisk(_ size: Int, key: String, _ report: Report) throws {
    let folder = "/dev/shm/vault-bench-\(getpid())"
    guard unsafe mkdir(folder, 0o700) == 0 else { return }
    defer { _ = try? Child.run("/bin/rm", ["-r", "--", folder]) }
    let stores = try Stores(count: size, folder: "\(folder)/\(size)", key: key)
    let writes = Writes(stores: stores, report: report)
    try writes.withoutDisk()
    try CInterface(stores: stores, report: report).writes("no disk")
    try writes.grown()
    try Policies(report: report).bulk(stores)
    stores.subject.close()
  }

  static func ownPath() throws -> String {
    guard let path = unsafe realpath("/proc/self/exe", nil) else { throw Failure("no own path") }
    // realpath gave a string of its own, freed here.
    defer { unsafe free(path) }
    return unsafe String(cString: path)
  }
}
