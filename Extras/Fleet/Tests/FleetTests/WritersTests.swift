import VaultAdministration
import CredentialVault
import Foundation
import ProgramTesting
import SecureMemory
import TestSupport
import TestTraits
import Testing
import VaultFleet
import VaultModel

@Suite("several writers of one vault", .waiting, .serialized)
struct WritersTests {
  @Test("nothing is lost or doubled, and all replicas are the same", arguments: [2, 8, 32])
  func writers(_ count: Int) throws {
    let fleet = try Replicas(items: 50)
    // Several writers on each of several replicas.
    let stores = try [fleet.first] + (1..<max(2, count / 4)).map { try fleet.clone("\($0)") }
    let each = 160 / count
    let failures = Lock<[String]>([])
    inThreads(count) { writer in
      do {
        for number in 0..<each {
          _ = try stores[writer % stores.count].add(Replicas.item("w\(writer)n\(number)"))
        }
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    let expected = (0..<count).flatMap { writer in (0..<each).map { "w\(writer)n\($0)" } }
    _ = try fleet.first.sync()
    let rows = try fleet.rows(fleet.first)
    for store in stores {
      let accounts = try Replicas.accounts(store).filter { $0.hasPrefix("w") }
      #expect(accounts == expected.sorted())
      #expect(try fleet.rows(store) == rows)
      #expect(try store.problems() == [])
    }
    #expect(try fleet.serverRows() == rows)
    let found = try fleet.accountsOfIndependentReader(fleet.first)
    #expect(found.filter { $0.hasPrefix("w") } == expected.sorted())
  }

  @Test("32 programs on eight machines: nothing is lost or doubled, and all replicas are the same")
  func programs() throws {
    let fleet = try Machines(8)
    // Each program on a machine of its own letter. What is not stored (69, 75) is tried again.
    let script = """
      writer() {
        for number in a b; do
          name=w$1$2$number
          until printf one | vaultctl add -q "https://$name@$name.example.com" --password-stdin
          do
            case $? in 69 | 75) ;; *) return 1 ;; esac
          done
        done
      }
      writers=
      for writer in a b c d; do
        writer "$1" $writer &
        writers="$writers $!"
      done
      status=0
      for writer in $writers; do wait "$writer" || status=1; done
      exit $status
      """
    let letters = "abcdefgh".map(String.init)
    let failures = Lock<[String]>([])
    inThreads(letters.count) { machine in
      do {
        let result = try fleet.sandboxes[machine].run(
          ["sh", "-c", script, "sh", letters[machine]], limit: 600)
        if result.status != 0 { failures.withLock { $0.append(result.errors) } }
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    let expected = letters.flatMap { machine in
      ["a", "b", "c", "d"].flatMap { ["w\(machine)\($0)a", "w\(machine)\($0)b"] }
    }
    var contents = Set<String>()
    for machine in letters.indices {
      try fleet.expect(fleet.run(machine, "vaultctl", "fleet", "sync"), 0)
      try fleet.expect(fleet.run(machine, "vaultctl", "verify"), 0)
      #expect(try fleet.accounts(on: machine) == expected)
      contents.insert(try fleet.independentContents(on: machine))
    }
    #expect(contents.count == 1)
    // The vault was published at generation 2.
    let generation = "SELECT generation FROM credential_vault.vault"
    #expect(try fleet.server.sql(generation, in: fleet.database) == ["\(2 + expected.count)"])
  }

  @Test("a writer that holds the lock makes another one busy in bounded time, and no reader")
  func busy() throws {
    let fleet = try Replicas()
    let other = try fleet.clone("1")
    try other.close()
    let impatient = try fleet.open("1", lockTimeout: .milliseconds(300))
    let id = try impatient.id()
    let holder = PostgresArbiter(try fleet.address, vault: id)
    _ = try holder.begin(after: 0)
    #expect(throws: VaultError(.busy, "")) { try impatient.add(Replicas.item("mine")) }
    #expect(try Replicas.accounts(impatient).count == 3)
    holder.abandon()
    _ = try impatient.add(Replicas.item("mine"))
    #expect(try Replicas.accounts(fleet.first).count == 4)
  }

  @Test("a writer that stalls with the lock loses it, and what it sends then is not stored")
  func stalled() throws {
    let fleet = try Replicas()
    let other = try fleet.clone("1")
    let arbiter = PostgresArbiter(
      try fleet.address, vault: try other.id(), idleLimit: .seconds(2))
    let delta = try arbiter.begin(after: 0)
    // Its time is over when another one has the lock.
    _ = try other.add(Replicas.item("mine"))
    let before = try fleet.serverRows()
    #expect(throws: (any Error).self) { try arbiter.commit(delta) }
    #expect(try fleet.serverRows() == before)
  }
}
