import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultStore
import VaultModel
import VaultReports

@Suite("a log's travels")
struct LogTravelTests {
  private func log(_ store: FileStore) throws -> [LoggedChange] {
    try store.log(since: nil, limit: nil) { _ in true }
  }

  @Test("a salvage keeps the log and the days")
  func salvage() throws {
    let fixture = try StoreFixture(isLogged: true)
    _ = try fixture.store.add(
      Item(server: HostName("h.example"), account: "ann", secret: Secret("first")))
    try fixture.store.setLogDays(100)
    let before = try log(fixture.store)
    #expect(before.map(\.operation).last == .added)
    let saved = try fixture.salvaged().store
    #expect(try log(saved) == before)
    #expect(try saved.logDays == 100)
  }
}
