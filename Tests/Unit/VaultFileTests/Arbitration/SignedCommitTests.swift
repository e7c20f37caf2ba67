import VaultReports
import SealedTree
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultStore
import VaultModel

@Suite("signed commits of a fleet's vault")
struct SignedCommitTests {
  @Test("every commit says which machine made it, and all replicas have one history")
  func names() throws {
    let fleet = try MachineFleet()
    let build = try fleet.clone(.machine(fleet.build))
    try build.commit()
    try fleet.first.commit(2)
    _ = try build.sync()
    let commits = try build.commits()
    #expect(commits.map(\.machine) == ["admin", "admin", "build", "admin", nil])
    #expect(commits.map(\.isMember) == [true, true, true, true, false])
    #expect(commits.allSatisfy { $0.isValid })
    #expect(commits.map(\.generation) == (4...8).reversed())
    let fingerprint = MachineText.fingerprint(of: fleet.build.publicKey, name: "build")
    #expect(commits[2].fingerprint == fingerprint && commits[4].fingerprint == nil)
    #expect(try fleet.first.commits() == commits)
    #expect(try build.commits(limit: 2) == Array(commits.prefix(2)))
    #expect(try build.commits(limit: 0) == [])
    let (one, other) = (try build.headHash(), try fleet.first.headHash())
    #expect(one.generation == 8 && other.generation == 8 && one.hash == other.hash)
    #expect(one.hash.count == 32)
    for store in [build, fleet.first] {
      let problems = try store.verify().problems
      #expect(problems == [])
    }
    try fleet.first.commit()
    #expect(try fleet.first.headHash().hash != one.hash)
  }

  @Test("a vault of one machine alone has no commits, and no rows of them")
  func alone() throws {
    let fixture = try StoreFixture()
    try fixture.store.commit(3)
    #expect(try fixture.store.commits() == [])
    #expect(try !fixture.store.shape().rows.contains { $0 >= NodeID.firstCommit })
    #expect(throws: VaultError(.invalidArgument, "")) { try fixture.store.headHash() }
  }

  @Test("a key that is tried or used beside it leaves a machine what it is")
  func otherKeys() throws {
    let fleet = try MachineFleet()
    let build = try fleet.clone(.machine(fleet.build))
    _ = try build.testSlot(with: .keyFile(fleet.file), id: nil)
    try build.commit()
    try build.unlock(with: .keyFile(fleet.file), keyFile: nil)
    try build.commit()
    #expect(try build.commits(limit: 2).map(\.machine) == ["build", "build"])
    try build.lockUp()
    try build.unlock(with: .keyFile(fleet.file), keyFile: nil)
    #expect(throws: VaultError(.readOnly, "")) { try build.commit() }
  }

  @Test("without machines nobody signs, and every commit is linked all the same")
  func unsigned() throws {
    let fleet = try MachineFleet(hasMachines: false)
    let other = try fleet.clone(.keyFile(fleet.file))
    try other.commit(3)
    _ = try fleet.first.sync()
    let commits = try fleet.first.commits()
    #expect(commits.count == 5 && commits.allSatisfy { $0.isValid && $0.machine == nil })
    #expect(try fleet.first.verify().problems == [])
  }

  @Test("a vault with machines is written by them alone, and nothing is sent by others")
  func onlyMachines() throws {
    let fleet = try MachineFleet()
    let other = try fleet.clone(.keyFile(fleet.file))
    let sent = fleet.server.now.commitCount
    let before = try fleet.folder.bytes(other.path.path)
    #expect(throws: VaultError(.readOnly, "")) { try other.commit() }
    #expect(throws: VaultError(.readOnly, "")) { try other.setHistoryLimit(3) }
    #expect(throws: VaultError(.readOnly, "")) {
      _ = try other.addSlot(.keyFile(KeyFile()), name: "x", cost: .minimum)
    }
    #expect(fleet.server.now.commitCount == sent)
    #expect(try fleet.folder.bytes(other.path.path) == before)
    // With an admin's key, it admits: that machine signs.
    let fourth = MachineKey(joining: fleet.adminSecret.key)
    _ = try other.admit(
      [NewMachine(fourth.publicKey, name: "fourth", isAdmin: false)], with: .machine(fleet.admin))
    #expect(try other.commits(limit: 1).map(\.machine) == ["admin"])
    _ = try fleet.first.sync()
    #expect(try fleet.first.commits(limit: 1).map(\.machine) == ["admin"])
  }

  @Test("the first machine of a fleet's vault signs the commit that makes it one")
  func begin() throws {
    let fleet = try MachineFleet(hasMachines: false)
    let other = try fleet.clone(.keyFile(fleet.file))
    try other.commit()
    _ = try other.addFirstMachine(fleet.admin, name: "admin", signer: fleet.adminSecret)
    _ = try fleet.first.sync()
    #expect(try fleet.first.commits().map(\.machine) == ["admin", nil, nil, nil])
    #expect(throws: VaultError(.readOnly, "")) { try fleet.first.commit() }
    let late = try fleet.clone(.machine(fleet.admin))
    try late.commit()
    _ = try fleet.first.sync()
    #expect(try fleet.first.verify().problems == [])
  }

  @Test("a vault with machines is published by one of them")
  func publish() throws {
    let fleet = try MachineFleet()
    let other = try fleet.clone(.keyFile(fleet.file))
    let server = MemoryArbiter()
    #expect(throws: VaultError(.readOnly, "")) { try other.publish(to: server) }
    #expect(server.now.commitCount == 0)
    try fleet.first.publish(to: server)
    try other.join(server)
    #expect(try other.commits(limit: 1).map(\.machine) == ["admin"])
  }

  @Test("a rekey by an admin keeps every signature, and the machine that it drops cannot write")
  func rekey() throws {
    let fleet = try MachineFleet()
    let (build, web) = (
      try fleet.clone(.machine(fleet.build)), try fleet.clone(.machine(fleet.web))
    )
    try web.commit()
    try fleet.rekey(removing: [19])
    try fleet.first.commit()
    #expect(throws: VaultError(.locked, "")) { _ = try web.sync() }
    try build.commit()
    _ = try fleet.first.sync()
    let commits = try fleet.first.commits()
    #expect(commits.map(\.machine) == ["build", "admin", "admin", "web", "admin", nil])
    #expect(commits.map(\.isMember) == [true, true, true, false, true, false])
    #expect(commits.allSatisfy { $0.isValid })
    let late = try fleet.clone(.machine(fleet.build))
    for store in [fleet.first, build, late] { #expect(try store.verify().problems == []) }
    let path = try fleet.folder.write(fleet.file.encoded().array, as: "file.key")
    let listing = try Golden.read(build.path.path, ["--key-file", path])
    #expect(listing.list("commits").count == 6)
  }

  @Test("a rekey by others ends all machines, and nobody signs from then on")
  func rekeyByOthers() throws {
    let fleet = try MachineFleet()
    let (other, reader) = (
      try fleet.clone(.keyFile(fleet.file)), try fleet.clone(.keyFile(fleet.file))
    )
    _ = try other.rekey(
      keeping: [.keyFile(fleet.file)], removing: [17, 18, 19], cost: .minimum,
      otherKey: { (_) throws(VaultError) in nil }, progress: { _ in })
    try other.commit()
    #expect(throws: VaultError(.locked, "")) { _ = try fleet.first.sync() }
    _ = try reader.sync()
    try reader.commit()
    #expect(try reader.commits().map(\.machine) == [nil, nil, nil, "admin", nil])
    #expect(try reader.verify().problems == [])
  }

  @Test("a machine that was admitted and removed meanwhile signed in between")
  func meanwhile() throws {
    let fleet = try MachineFleet()
    let build = try fleet.clone(.machine(fleet.build))
    let fourth = MachineKey(joining: fleet.adminSecret.key)
    _ = try fleet.first.admit(
      [NewMachine(fourth.publicKey, name: "fourth", isAdmin: false)], with: .machine(fleet.admin))
    try fleet.clone(.machine(fourth)).commit()
    _ = try fleet.first.sync()
    try fleet.rekey(removing: [20])
    try fleet.first.commit()
    _ = try build.sync()
    #expect(try build.commits(limit: 4).map(\.machine) == ["admin", "admin", "fourth", "admin"])
    #expect(try build.commits().allSatisfy { $0.isValid })
  }

  @Test("a machine that was away for more commits than are kept catches up")
  func away() throws {
    let fleet = try MachineFleet()
    let build = try fleet.clone(.machine(fleet.build))
    try fleet.first.commit(4200)
    #expect(try build.sync() == (5, 4205))
    #expect(try build.commits().count == 4097)
    #expect(try build.commits().allSatisfy { $0.isValid })
    #expect(try build.verify().problems == [])
  }

  @Test("clocks that are a day apart: the time of a commit is never before the one before")
  func clocks() throws {
    let day: Int64 = 86_400_000
    let fleet = try MachineFleet()
    func clock(_ shift: Int64) -> TimeSource {
      TimeSource(
        now: { Timestamp(milliseconds: Timestamp.now().milliseconds + shift) },
        session: SessionTime.now)
    }
    let ahead = try fleet.clone(.machine(fleet.build), time: clock(day))
    let behind = try fleet.clone(.machine(fleet.web), time: clock(-day))
    let now = Timestamp.now().milliseconds
    try behind.commit()
    try ahead.commit()
    try behind.commit()
    _ = try fleet.first.sync()
    let times = try fleet.first.commits().map(\.time.milliseconds)
    #expect(times == times.sorted(by: >) && times[1] >= now + day && times[0] == times[1])
    #expect(times[2] < now + day / 2)
    #expect(try fleet.first.commits().allSatisfy { $0.isValid })
  }

  @Test("a copy that is merged into a replica is one commit, and its machine follows")
  func merge() throws {
    let fleet = try MachineFleet()
    let away = fleet.server.copied()
    let web = try fleet.clone(.machine(fleet.web), from: away)
    try web.commit(70)
    try fleet.first.commit()
    let build = try fleet.clone(.machine(fleet.build))
    _ = try fleet.first.merge(
      web.path.path, key: .machine(fleet.admin), keyFile: nil, lockTimeout: .seconds(5),
      otherKey: { (_) throws(VaultError) in .machine(fleet.web) },
      decisions: MergeDecisions(isDryRun: false, preference: .theirs) {
        (_) throws(VaultError) in nil
      })
    let commits = try fleet.first.commits()
    #expect(commits.map(\.generation) == [76, 6, 5, 4] && commits.allSatisfy { $0.isValid })
    _ = try build.sync()
    #expect(try build.commits() == commits)
    // Its rows are not those of the others: it is cloned anew.
    try fleet.expect(.forked, web, from: fleet.server)
    let again = try fleet.clone(.machine(fleet.web))
    try again.commit()
    _ = try build.sync()
    for store in [build, again, fleet.first] { #expect(try store.verify().problems == []) }
    #expect(try build.commits(limit: 1).map(\.machine) == ["web"])
  }

  @Test("a backup that is put at another path begins a history, and a machine publishes it")
  func restore() throws {
    let fleet = try MachineFleet()
    try fleet.first.commit(3)
    let backup = try fleet.first.backUp(to: fleet.folder.file("backup.vault"))
    let path = fleet.folder.file("restored.vault")
    _ = try FileStore.restore(
      from: backup.path, to: path, key: .keyFile(fleet.file), stateFolder: nil,
      lockTimeout: .seconds(5))
    let store = try FileStore.open(VaultPath(path), stateFolder: nil, lockTimeout: .seconds(5))
    try store.unlock(with: .machine(fleet.admin))
    #expect(try store.commits().map(\.isValid) == [true])
    #expect(try store.verify().problems == [])
    let server = MemoryArbiter()
    try store.publish(to: server)
    try store.commit()
    let build = try fleet.clone(.machine(fleet.build), from: server)
    try build.commit()
    #expect(try build.commits().map(\.machine) == ["build", "admin", "admin", nil])
    #expect(try build.verify().problems == [])
  }
}
