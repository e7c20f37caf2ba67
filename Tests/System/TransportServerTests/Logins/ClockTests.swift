import Foundation
import HTTPTesting
import ProgramTesting
import Testing

extension LoginsOnConnections {
  /// A KDC or a server whose clock differs from the client's by two hours; Kerberos takes five
  /// minutes.
  @Suite("Clocks")
  struct ClockTests {
    private static let shift = "+2h"

    let client: LoginClient

    init() throws { client = try LoginClient() }

    /// Without preauthentication the client compares the reply's time, with it the KDC that of the
    /// request; if the library goes by the KDC's time, it is the ticket's.
    @Test(
      "a KDC with another time is a problem of its own",
      arguments: [("ann", "annpw"), ("bob", "bobpw")], [0, 1])
    func kdc(user: (name: String, password: String), timesync: Int) throws {
      var client = client
      let kdc = try KerberosServer(
        in: client.sandbox.folder.appending(path: "kdc"), clock: Self.shift)
      let path = client.sandbox.home.appending(path: "krb5.conf")
      try Data(
        String(contentsOfFile: kdc.path("krb5.conf"), encoding: .utf8).replacingOccurrences(
          of: "[libdefaults]", with: "[libdefaults]\n  kdc_timesync = \(timesync)"
        ).utf8
      ).write(to: path)
      client.variables["KRB5_CONFIG"] = path.path
      try client.store(user.name, user.password)
      let lines = try client.get("nego/kdc")
      #expect(lines == ["[401] mechanismFailed(clock-skew) "])
    }

    @Test("a server with another time says so")
    func server() throws {
      let library = LoginServers.libraries("libfaketime")
      let server = try LoginProgram(
        client, ["acceptor", "Negotiate"],
        environment: [
          "FAKETIME": Self.shift,
          "LD_PRELOAD": library.appending(path: "faketime/libfaketime.so.1").path,
        ])
      try client.store("ann", "annpw")
      try client.vaultctl("modify", "-s", "localhost", "--set-port", "\(server.port)")
      let lines = try client.get(["url=http://localhost:\(server.port)/page"])
      #expect(lines == ["[401, 401] mechanismFailed(clock-skew) "])
      #expect(try server.end().allSatisfy { $0.user == "-" })
    }
  }
}
