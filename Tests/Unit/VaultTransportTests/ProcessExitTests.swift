import CVaultLibssl
import Glibc
import Testing

@testable import VaultTransport

@Suite("the end of a process")
struct ProcessExitTests {
  @Test("libcrypto can be used until then, by threads that nobody stops")
  func libcrypto() async {
    await #expect(processExitsWith: .success) {
      // Functions are called in reverse order: after libcrypto's own, if it has one.
      atexit {
        // The name ends with NUL; nothing frees the digest any more.
        if unsafe EVP_MD_fetch(nil, "SHA256", nil) == nil { _exit(EXIT_FAILURE) }
      }
      try Libcurl.require()
      exit(EXIT_SUCCESS)
    }
  }
}
