import VaultReports
import AttackSupport
import Glibc
import SecureMemory
import StoreTesting
import Testing
import VaultCrypto
import VaultStore
import VaultModel

/// The vault at a path is remembered: another one in its place gives no answer.
@Suite("records and state files: of a path")
struct PlaceTests {
  /// A vault in place of another one, both of which open with the same key.
  private struct Pair {
    let fixture: VaultFixture
    /// The earlier vault, and the one that `init` made after it.
    let old: [UInt8]
    let new: [UInt8]

    init() throws {
      fixture = try VaultFixture(holding: Workload.add.base)
      old = try File.read(fixture.vault)
      try File.remove(fixture.vault)
      try FileStore.create(
        VaultPath(fixture.vault), key: fixture.key, slotName: "", cost: .minimum,
        stateFolder: fixture.stateFolder, lockTimeout: .seconds(1)
      ).close()
      new = try File.read(fixture.vault)
    }

    func put(_ bytes: [UInt8]) throws { try File.write(bytes, to: fixture.vault) }

    /// Returns the result of reading.
    func outcome(accepting: Bool = false) -> VaultError.Code? {
      do throws(VaultError) {
        let store = try open(accepting: accepting)
        try store.unlock(with: fixture.key)
        _ = try store.find(ItemQuery(), withSecrets: true)
        try store.close()
        return nil
      } catch {
        return error.code
      }
    }

    func open(accepting: Bool = false) throws(VaultError) -> FileStore {
      try FileStore.open(
        VaultPath(fixture.vault), stateFolder: fixture.stateFolder, lockTimeout: .seconds(1),
        acceptingAnotherVault: accepting)
    }
  }

  @Test func `A vault from before a new init does not answer in its place, whatever key it takes`()
    throws
  {
    let pair = try Pair()
    #expect(pair.outcome() == nil)
    try pair.put(pair.old)
    // Refused before a key is asked for.
    let error = #expect(throws: VaultError.self) { try pair.open() }
    #expect(error?.code == .anotherVault)
    let words = error?.context ?? ""
    #expect(words.contains(pair.fixture.vault))
    #expect(try File.read(pair.fixture.vault) == pair.old)
    let target = try VaultPath(pair.fixture.folder("vault/saved"))
    let salvage = #expect(throws: VaultError.self) {
      try Salvage.run(
        from: VaultPath(pair.fixture.vault), to: target, key: pair.fixture.key, cost: .minimum,
        stateFolder: pair.fixture.stateFolder)
    }
    #expect(salvage?.code == .anotherVault)
    for key in [nil, pair.fixture.key] {
      let found = Diagnostics(
        of: pair.fixture.vault, stateFolder: pair.fixture.stateFolder, key: key
      ).results
      #expect(found.first { $0.check == .place }?.code == .anotherVault)
    }
  }

  @Test func `What is accepted is remembered once it was opened, and not before`() throws {
    let pair = try Pair()
    try pair.put(pair.old)
    let store = try pair.open(accepting: true)
    #expect(throws: VaultError(.authenticationFailed, "")) {
      try store.unlock(with: .keyFile(KeyFile()))
    }
    try store.close()
    #expect(pair.outcome() == .anotherVault)
    #expect(pair.outcome(accepting: true) == nil)
    #expect(pair.outcome() == nil)
    try pair.put(pair.new)
    #expect(pair.outcome() == .anotherVault)
  }

  @Test func `Of two vaults that lie at a path in turn each one's own past is remembered`() throws {
    let pair = try Pair()
    try RecordTests.add("newer", to: pair.fixture)
    let newer = try File.read(pair.fixture.vault)
    try pair.put(pair.old)
    #expect(pair.outcome(accepting: true) == nil)
    try pair.put(pair.new)
    #expect(pair.outcome(accepting: true) == .rolledBack)
    // Only the vault that was answered from belongs to the path.
    try pair.put(newer)
    #expect(pair.outcome() == .anotherVault)
    #expect(pair.outcome(accepting: true) == nil)
  }

  @Test func `Restore and salvage say which vault lies at their path`() throws {
    let pair = try Pair()
    let fixture = pair.fixture
    let backup = fixture.folder("backup")
    try File.write(pair.old, to: backup)
    try File.remove(fixture.vault)
    _ = try FileStore.restore(
      from: backup, to: fixture.vault, key: fixture.key, stateFolder: fixture.stateFolder,
      lockTimeout: .seconds(1))
    #expect(pair.outcome() == nil)
    // The salvaged vault is accepted at a path where another vault was before.
    let target = fixture.folder("vault/saved")
    try File.write(pair.new, to: target)
    _ = try GoldenVault.read(target, key: fixture.key, stateFolder: fixture.stateFolder)
    try File.remove(target)
    _ = try Salvage.run(
      from: VaultPath(fixture.vault), to: VaultPath(target), key: fixture.key, cost: .minimum,
      stateFolder: fixture.stateFolder)
    let saved = try GoldenVault.read(target, key: fixture.key, stateFolder: fixture.stateFolder)
    #expect(saved.count == Workload.add.base.count)
    // In the place of the damaged one it is another vault.
    try File.move(target, to: fixture.vault)
    #expect(pair.outcome() == .anotherVault)
    #expect(pair.outcome(accepting: true) == nil)
    #expect(pair.outcome() == nil)
  }

  enum Trouble: CaseIterable, Sendable {
    case missing, empty, torn, garbage, folder, symbolicLink, pipe, readOnly, noState, readOnlyState
    case stateIsFile, anotherOwners
  }

  @Test(arguments: Trouble.allCases)
  func `Where nothing is known of a path it is a first use, and nothing fails`(
    trouble: Trouble
  ) throws {
    let pair = try Pair()
    let fixture = pair.fixture
    let path = try fixture.placePath()
    switch trouble {
    case .missing, .noState: try File.remove(path)
    case .empty: try File.write([], to: path)
    case .torn: try File.write(Array(File.read(path)[..<30]), to: path)
    case .garbage: try File.write(File.read(path).map { $0 ^ 0x55 }, to: path)
    case .folder:
      try File.remove(path)
      try File.makeFolder(path)
    case .symbolicLink:
      try File.move(path, to: fixture.folder("elsewhere"))
      try File.makeSymbolicLink(path, to: fixture.folder("elsewhere"))
    case .pipe:
      try File.remove(path)
      try File.makePipe(path)
    case .readOnly:
      try File.remove(path)
      try File.write([], to: path, mode: 0o400)
    case .readOnlyState:
      try File.remove(path)
      try File.setMode(0o500, of: fixture.stateFolder)
    case .stateIsFile:
      try File.move(fixture.stateFolder, to: fixture.folder("moved"))
      try File.write([], to: fixture.stateFolder)
    case .anotherOwners:
      guard geteuid() == 0 else { return }
      try File.setOwner(65534, of: path)
    }
    try pair.put(pair.old)
    if trouble == .noState {
      #expect(
        try GoldenVault.read(fixture.vault, key: fixture.key).count == Workload.add.base.count)
    } else {
      #expect(pair.outcome() == nil)
      #expect(pair.outcome() == nil)
    }
    if trouble == .readOnlyState { try File.setMode(0o700, of: fixture.stateFolder) }
  }

  @Test func `A record that names a vault and was not written by who opens it is told`() throws {
    let pair = try Pair()
    let fixture = pair.fixture
    let stranger = try VaultFixture()
    // An attacker who wants the old vault to answer names it, but cannot prove it.
    var forged = try StateRecord(of: stranger.vault, key: stranger.key).place(at: fixture.vault)
    let old = try Ident(decoding: Database.bytes("SELECT ident FROM vault", of: fixture.vault))
    try pair.put(pair.old)
    let named = try Ident(decoding: Database.bytes("SELECT ident FROM vault", of: fixture.vault))
    #expect(old.vaultID != named.vaultID)
    forged.replaceSubrange(8..<24, with: named.vaultID.bytes)
    try File.write(forged, to: fixture.placePath())
    let look = Diagnostics(of: fixture.vault, stateFolder: fixture.stateFolder, key: fixture.key)
    #expect(look.results.filter { $0.check == .records }.map(\.status) == [.warning])
    let told = try fixture.withStore { (store) throws(VaultError) in
      try store.information().unverifiedRecords
    }
    #expect(try told == [fixture.placePath() + ".unverified"])
    #expect(try File.read(told[0]) == forged)
  }

  @Test func `A process that has the vault open takes no other one for it`() throws {
    let pair = try Pair()
    let store = try pair.open()
    try store.unlock(with: pair.fixture.key)
    try File.write(pair.old, to: pair.fixture.folder("old"))
    try File.move(pair.fixture.folder("old"), to: pair.fixture.vault)
    #expect(throws: VaultError(.anotherVault, "")) { try store.add(Workload.item("x", "x")) }
    try store.close()
  }
}
