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
      #expect(
        isTrueInForkedChild {
          let isBroken = connection?.isBroken == true
          connection = nil
          return isBroken
        })
      #expect(try connection?.run([Query("SELECT 1")])[0].count == 1)
    }
  }
}
