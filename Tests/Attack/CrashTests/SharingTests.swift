import AttackSupport
import Glibc
import TestTraits
import Testing
import VaultStore
import VaultModel

/// Several processes at one vault.
@Suite(.waiting) struct SharingTests {
  @Test func `Eight processes adding at once lose nothing, and readers beside them never fail`()
    throws
  {
    let fixture = try VaultFixture(holding: Workload.add.base)
    // Nobody is given the lock in turn, and a slow disk takes long for 200 commits.
    let readers = try (0..<2).map { _ in try fixture.driver("read", ["timeout": "120000"]) }
    let writers = try (0..<8).map {
      try fixture.driver("add", ["name": "w\($0)", "count": "25", "timeout": "120000"])
    }
    for writer in writers {
      #expect(writer.lines() == ["done"])
      #expect(writer.wait() == .exited(0))
    }
    for reader in readers {
      reader.tell("stop")
      let lines = reader.lines()
      #expect(lines.count == 1 && lines.first?.hasPrefix("good ") == true, "\(lines)")
      #expect(reader.wait() == .exited(0))
    }
    let expected = (0..<8).flatMap { writer in
      (0..<25).flatMap { ["left-w\(writer)-\($0)", "right-w\(writer)-\($0)"] }
    }
    let contents = try fixture.contents()
    #expect(Set(contents.keys) == Set(expected + Workload.add.base.map(\.account)))
    #expect(try fixture.problems() == [])
    #expect(try fixture.leftovers() == [])
  }

  @Test func `A writer that must wait too long is told that the vault is busy; a reader is not`()
    throws
  {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let holder = try fixture.driver("hold")
    #expect(holder.line() == "holding")
    // It holds the lock until it is told otherwise, so these two end on their own.
    #expect(try fixture.driver("probe", ["timeout": "200"]).lines() == ["open", "done", "busy"])
    holder.tell("go on")
    #expect(holder.lines() == ["done"])
    #expect(holder.wait() == .exited(0))
    #expect(try fixture.driver("probe", ["timeout": "200"]).lines() == ["open", "done", "done"])
  }

  @Test func `A rule that one process adds holds in the other at once, whoever it is`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let other = try fixture.driver("rules")
    try fixture.withStore { (store) throws(VaultError) in
      func add(_ name: String) throws(VaultError) {
        try store.write { (transaction) throws(VaultError) in
          let rules = try transaction.policy().rules + [PersistencePolicy.Rule(name: name)]
          try transaction.setPolicy(PersistencePolicy(rules: rules))
        }
      }
      func names() throws(VaultError) -> String {
        try store.policy().rules.map(\.name).joined(separator: " ")
      }
      for number in stride(from: 0, to: 8, by: 2) {
        let before = try names()
        other.tell("")
        #expect(other.line() == before)
        try add("rule\(number)")
        other.tell("")
        #expect(other.line()?.hasSuffix("rule\(number)") == true)
        other.tell("rule\(number + 1)")
        let theirs = other.line()
        #expect(theirs?.hasSuffix("rule\(number + 1)") == true)
        #expect(try names() == theirs)
        // A transaction that begins by now also reads it.
        try store.write { (transaction) throws(VaultError) in
          #expect(try transaction.policy().rules.count == number + 2)
        }
      }
    }
  }

  @Test(arguments: [3, 9, 30])
  func `Beside a writer that is stopped in its commit everyone ends, with the data or as busy`(
    call: Int
  ) throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let stopped = try fixture.driver(
      "write",
      ["workload": "add", "first": "0", "count": "0", "switch": "stop", "call": "\(call)"])
    #expect(stopped.wait() == .stopped)
    let lines = try fixture.driver("probe", ["timeout": "200"]).lines()
    #expect(
      lines == ["busy"] || lines == ["open", "done", "busy"] || lines == ["open", "busy", "busy"])
    stopped.signal(SIGKILL)
    stopped.signal(SIGCONT)
    #expect(stopped.wait() == .killed(signal: SIGKILL))
    #expect(try fixture.driver("probe").lines() == ["open", "done", "done"])
    #expect(try fixture.problems() == [])
  }

  @Test func `Of many that create one vault at once one does, and the others say that it exists`()
    throws
  {
    for _ in 0..<10 {
      let fixture = try VaultFixture()
      let target = fixture.folder("vault/new")
      let drivers = try (0..<4).map { _ in try fixture.driver("create", ["vault": target]) }
      for driver in drivers { #expect(driver.line() == "ready") }
      for driver in drivers { driver.tell("go") }
      let lines = drivers.map { $0.lines() }
      for driver in drivers { _ = driver.wait() }
      #expect(lines.count { $0 == ["done"] } == 1)
      #expect(lines.count { $0 == ["error vault-exists"] } == 3)
      #expect(try fixture.leftovers() == ["new"])
      let items = try GoldenVault.read(target, key: fixture.key)
      #expect(items.map(\.account) == ["first"])
    }
  }
}
