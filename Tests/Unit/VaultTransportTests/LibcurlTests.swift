import Testing
import VaultModel

@testable import VaultTransport

@Suite("Libcurl") struct LibcurlTests {
  @Test("only OpenSSL of a late version is used, and what is there is named")
  func flavour() throws {
    try Libcurl.check(version: 0x075801, tls: "OpenSSL/3.0.19")
    let gnu = #expect(throws: VaultError(.unsupported, "")) {
      try Libcurl.check(version: 0x075801, tls: "GnuTLS/3.7.9")
    }
    #expect(gnu?.context.contains("GnuTLS/3.7.9") == true)
    let old = #expect(throws: VaultError(.unsupported, "")) {
      try Libcurl.check(version: 0x075101, tls: "OpenSSL/3.0.2")
    }
    #expect(old?.context.contains("7.81") == true)
  }
}
