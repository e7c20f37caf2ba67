import AttackSupport
import Foundation
import ProgramTesting
import Testing

/// Side files and journals: files that somebody puts beside a vault under the names that SQLite
/// gives its own files, and the shipped program's behaviour.
@Suite("Side files and journals") struct SideFileTests {
  /// The planted file.
  enum Plant: CaseIterable, Sendable {
    /// A journal that names a file of the user's, to be deleted.
    case journalNamingAFile
    /// A journal that names the state folder's record of the vault.
    case journalNamingTheRecord
    /// A journal that names a file that does not exist: SQLite would take its transaction for
    /// committed.
    case journalNamingNothing
    case emptyWAL, zeroWAL
    /// A log whose pages are complete, and change the vault into another one.
    case realWAL
    case sharedMemory
  }

  private static let url = "https://ann@a.example"

  private struct Place {
    let sandbox: Sandbox
    let victim: String
    let plantPath: String
    let plant: [UInt8]

    var vault: String { sandbox.home.appending(path: "test.vault").path }

    /// Creates a vault with an item, a backup of it, and the planted file beside it.
    init(_ plant: Plant) throws {
      sandbox = try Sandbox()
      let home = sandbox.home.path
      try #require(try sandbox.makeVault().status == 0)
      let added = try sandbox.run(
        "vaultctl", "add", SideFileTests.url, "--password-stdin", input: "open sesame")
      try #require(added.status == 0)
      try #require(try sandbox.run("vaultctl", "backup", "good.vault").status == 0)
      let vault = "\(home)/test.vault"
      let record = try #require(try File.names(in: home + "/.local/state/vaultctl").first)
      let precious = "\(home)/precious"
      try File.write(Array("precious".utf8), to: precious)
      victim =
        plant == .journalNamingTheRecord ? "\(home)/.local/state/vaultctl/\(record)" : precious
      let suffix: String
      (suffix, self.plant) =
        switch plant {
        case .journalNamingAFile, .journalNamingTheRecord:
          ("-journal", PlantedJournal.naming(victim))
        case .journalNamingNothing: ("-journal", PlantedJournal.naming("\(home)/nothing"))
        case .emptyWAL: ("-wal", [])
        case .zeroWAL: ("-wal", [UInt8](repeating: 0, count: 32))
        case .realWAL:
          (
            "-wal",
            try Database.writeAheadLog(of: "DELETE FROM node", on: vault, in: Folder())
          )
        case .sharedMemory: ("-shm", [UInt8](repeating: 0, count: 32_768))
        }
      plantPath = vault + suffix
      try File.write(self.plant, to: plantPath)
    }

    /// Returns every file below the home, with its bytes.
    func state() throws -> [String: [UInt8]] {
      var state: [String: [UInt8]] = [:]
      for folder in ["", ".local/state/vaultctl"] {
        let path = sandbox.home.appending(path: folder).path
        for name in try File.names(in: path) where !name.hasPrefix(".") {
          state["\(folder)/\(name)"] = try File.read("\(path)/\(name)")
        }
      }
      return state
    }
  }

  @Test(arguments: Plant.allCases)
  func `Every command refuses the vault, and opens, changes and deletes nothing`(
    plant: Plant
  ) throws {
    let place = try Place(plant)
    let before = try place.state()
    for command in [
      "info", "slot list", "find \(Self.url)", "list", "verify", "backup more.vault", "compact",
      "restore good.vault", "salvage out.vault", "rekey", "modify \(Self.url) --label x",
      "git-credential get", "git-credential store",
    ] {
      let result = try place.sandbox.run(
        ["vaultctl"] + command.split(separator: " ").map(String.init),
        input: "protocol=https\nhost=a.example\nusername=ann\npassword=other\n\n")
      #expect(result.status == 77, "\(command): \(result.errors)")
      #expect(result.errors.contains(place.plantPath), "\(command): \(result.errors)")
      #expect(!result.output.contains("sesame"))
      #expect(try place.state() == before, "\(command)")
    }
    try File.remove(place.plantPath)
    let found = try place.sandbox.run("vaultctl", "find", Self.url, "-w")
    #expect(found.output == "open sesame\n")
    #expect(try place.sandbox.run("vaultctl", "verify").status == 0)
  }

  @Test(arguments: Plant.allCases)
  func `The doctor names what lies there and a way out that deletes nothing`(plant: Plant) throws {
    let place = try Place(plant)
    let before = try place.state()
    let result = try place.sandbox.run("vaultctl", "doctor")
    #expect(result.status == 77)
    #expect(result.output.contains("problem  side-files: \(place.plantPath)"))
    #expect(result.output.contains("try: mv \(place.plantPath) \(place.plantPath).aside"))
    #expect(try place.state() == before)
    // The remedy that the hint names.
    try File.move(place.plantPath, to: place.plantPath + ".aside")
    #expect(try place.sandbox.run("vaultctl", "verify").status == 0)
    #expect(try place.sandbox.run("vaultctl", "doctor").output.contains("ok       side-files"))
  }

  /// A journal that is hot, and would cut the vault to a page or extend it.
  enum Journal: CaseIterable, Sendable {
    case writableByOthers, withSecondName, ofAnotherOwner, ofNoPages, ofTooManyPages

    fileprivate var pageCount: UInt32 {
      switch self {
      case .writableByOthers, .withSecondName, .ofAnotherOwner: 1
      case .ofNoPages: 0
      case .ofTooManyPages: .max
      }
    }
  }

  @Test(arguments: Journal.allCases.filter { $0 != .ofAnotherOwner || geteuid() == 0 })
  func `The way out that is told of a journal makes nobody's pages the vault's`(
    journal: Journal
  ) throws {
    let place = try Place(.emptyWAL)
    try File.remove(place.plantPath)
    let before = try File.read(place.vault)
    let path = place.vault + "-journal"
    try File.write(PlantedJournal.header(pageCount: journal.pageCount), to: path)
    switch journal {
    case .writableByOthers: try File.setMode(0o666, of: path)
    case .withSecondName: try File.makeHardLink(place.vault + ".other", to: path)
    case .ofAnotherOwner: try File.setOwner(65534, of: path)
    case .ofNoPages, .ofTooManyPages: break
    }
    for command in ["list", "verify", "find \(Self.url)"] {
      let words = command.split(separator: " ").map(String.init)
      let result = try place.sandbox.run(["vaultctl"] + words)
      #expect(result.status == (journal.pageCount == 1 ? 77 : 49))
      #expect(result.errors.contains(path))
      #expect(result.errors.contains("hint: vaultctl doctor"))
      #expect(!result.errors.contains("chmod") && !result.errors.contains("trust"))
    }
    let told = try place.sandbox.run("vaultctl", "doctor")
    #expect(told.status == (journal.pageCount == 1 ? 77 : 49))
    #expect(told.output.contains("problem  side-files: \(path)"))
    #expect(told.output.contains("try: mv \(path) \(path).aside"))
    #expect(told.output.contains("ok       file"))
    #expect(!told.output.contains("chmod 600") && !told.output.contains("try: vaultctl list"))
    try File.move(path, to: path + ".aside")
    #expect(try place.sandbox.run("vaultctl", "verify").status == 0)
    #expect(try place.sandbox.run("vaultctl", "find", Self.url, "-w").output == "open sesame\n")
    #expect(try File.read(place.vault) == before)
  }

  @Test(arguments: Plant.allCases)
  func `A backup beside which it lies is refused, and nothing of it comes into the vault`(
    plant: Plant
  ) throws {
    let place = try Place(plant)
    let other = place.plantPath.replacing("test.vault", with: "good.vault")
    try File.move(place.plantPath, to: other)
    let before = try place.state()
    for command in ["restore good.vault", "restore --check good.vault"] {
      let result = try place.sandbox.run(
        ["vaultctl"] + command.split(separator: " ").map(String.init))
      #expect(result.status == 77, "\(command): \(result.errors)")
      #expect(result.errors.contains(other), "\(result.errors)")
      #expect(try place.state() == before)
    }
  }

  @Test func `Rollback is noticed as before, since nothing takes away what is remembered`() throws {
    let place = try Place(.journalNamingTheRecord)
    let old = try File.read(place.vault)
    try File.remove(place.plantPath)
    let modified = try place.sandbox.run("vaultctl", "modify", Self.url, "--label", "newer")
    try #require(modified.status == 0)
    try File.write(old, to: place.vault)
    try File.write(place.plant, to: place.plantPath)
    #expect(try place.sandbox.run("vaultctl", "list").status == 77)
    try File.remove(place.plantPath)
    #expect(try place.sandbox.run("vaultctl", "list").status == 54)
  }
}
