import StoreTesting
import TestSupport
import Testing
import VaultStore
import VaultModel

extension MachineFleet {
  /// Requires that a replica refuses what a server has, and does not change.
  func expect(
    _ code: VaultError.Code, _ store: FileStore, from server: MemoryArbiter,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try folder.bytes(store.path.path)
    #expect(throws: VaultError(code, ""), sourceLocation: sourceLocation) {
      try store.follow(server)
    }
    #expect(try folder.bytes(store.path.path) == before, sourceLocation: sourceLocation)
  }
}
