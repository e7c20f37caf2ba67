import CForkSupport
import Foundation
import Glibc
import ProgramTesting
import TestTraits
import Testing

@testable import VaultFleet

@Suite("connections in a forked child", .waiting)
struct ForkedConnectionTests {
  @Test("a child that drops its parent's connection does not end the session, and cannot use it")
  func dropped() async {
    await #expect(processExitsWith: .success) {
      let server = try PostgresServer()
      var connection: PostgresConnection? = try PostgresConnection(
        ServerAddress(server.address("postgres")), limit: .seconds(120))
      let child = fork_by_library()
      if child == 0 {
        // A child that hangs fails the test instead of holding it up.
        end_after(120)
        let isBroken = connection?.isBroken == true
        connection = nil
        _exit(isBroken ? 0 : 1)
      }
      var status: Int32 = 0
      // `status` is a local variable.
      let ended = unsafe waitpid(child, &status, 0)
      #expect(ended == child && status == 0)
      #expect(try connection?.run([Query("SELECT 1")])[0].count == 1)
    }
  }
}
