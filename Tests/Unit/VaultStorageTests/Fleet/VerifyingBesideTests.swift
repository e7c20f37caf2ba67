import Foundation
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultModel
import VaultRecovery

@testable import VaultCrypto
@testable import VaultFile

@Suite("a replica that is verified while another program writes to it")
struct VerifyingBesideTests {
  @Test("the verification is of one moment, and finds nothing")
  func verify() async throws {
    let fleet = try MachineFleet()
    let reader = try fleet.clone(.machine(fleet.build))
    // Another connection to the same file, as another program has it.
    let writer = try FileStore.open(
      reader.path, stateFolder: nil, lockTimeout: .seconds(60))
    let key = UnlockKey.machine(fleet.build)
    try writer.unlock(with: key, keyFile: { () throws(VaultError) in key })
    try writer.join(fleet.server)
    try writer.locked { (file) throws(VaultError) in
      try file.connection.execute("PRAGMA synchronous = OFF")
    }
    let isDone = Lock(false)
    async let written = inThread {
      var count = 0
      while !isDone.withLock({ $0 }) {
        try writer.commit()
        count += 1
      }
      return count
    }
    let found = Result { () throws -> [VaultProblem] in
      var (problems, heads) = ([VaultProblem](), Set<UInt64>())
      // Until the other's commits have come in between often enough.
      while heads.count < 12, problems.isEmpty {
        problems += try reader.verify().problems
        heads.insert(try reader.generation())
      }
      return problems
    }
    isDone.withLock { $0 = true }
    #expect(try await written > 0)
    #expect(try found.get() == [])
  }
}
