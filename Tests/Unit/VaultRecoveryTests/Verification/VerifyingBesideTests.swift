import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultModel
@testable import VaultStore

@Suite("a replica that is verified while another program writes to it")
struct VerifyingBesideTests {
  @Test("the commits are verified in the reading of the rest, so nobody writes in between")
  func verify() throws {
    let fleet = try MachineFleet()
    let reader = try fleet.clone(.machine(fleet.build))
    // A connection of its own to the same file, as another program has it.
    let key = UnlockKey.machine(fleet.build)
    let writer = try VaultFile(
      path: reader.path, stateFolder: nil, lockTimeout: .milliseconds(1))
    try writer.unlock(with: key, keyFile: { () throws(VaultError) in key })
    writer.arbiter = fleet.server
    let space = try ProtectionSpace(host: "host.example.com")
    // Between the rows that the head names and all rows, a commit would look like damage.
    var refusal: VaultError?
    try reader.locked { (file) throws(VaultError) in
      try file.read { (_) throws(VaultError) in
        try file.checkCommits()
        do throws(VaultError) {
          try writer.write { (transaction) throws(VaultError) in
            try transaction.setDefaultUser("ann", for: space)
          }
        } catch {
          refusal = error
        }
      }
    }
    #expect(refusal?.code == .outcomeUnknown)
    #expect(try reader.verify().problems == [])
    // The server has it, and so has the next commit's replica.
    try reader.commit()
    #expect(try reader.verify().problems == [])
  }
}
