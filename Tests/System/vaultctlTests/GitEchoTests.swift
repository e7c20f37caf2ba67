import SecureMemory
import Testing
import VaultCrypto
import VaultModel

@testable import VaultCommands

/// The state that `get` passes to `store` through Git.
@Suite("the digest in Git's state")
struct GitEchoTests {
  private func request(_ lines: String) throws -> GitRequest {
    try GitRequest(Secret("protocol=https\nhost=git.example.com\n" + lines))
  }

  private func item(method: AuthenticationMethod = .default) throws -> Item {
    var item = Item(
      server: try HostName("git.example.com"), account: "ann", secret: Secret("one"),
      protocol: try NetworkProtocol("https"), authenticationMethod: method)
    item.expires = Timestamp(seconds: 4_102_444_800)
    item.refreshToken = Secret("r")
    return item
  }

  private static let rest = "password_expiry_utc=4102444800\noauth_refresh_token=r\n"
  private let echoed = "username=ann\npassword=one\n\(rest)"

  @Test("what Git was given is recognized, and the item is still named")
  func same() throws {
    let item = try item()
    let state = try request("path=a.git\n").state(of: item, hasDerived: true)
    let stored = try request("path=a.git\n\(echoed)state[]=other:1\nstate[]=\(state)\n")
    #expect(try stored.isEcho)
    #expect(stored.givenItem == item.id)
    #expect(!state.contains("one"))
  }

  @Test("a bearer token is recognized, and is not a password of the same text")
  func token() throws {
    let state = try request("").state(of: item(method: .bearer), hasDerived: true)
    let rest = "username=ann\n\(Self.rest)state[]=\(state)\n"
    #expect(try request("authtype=bearer\ncredential=one\n\(rest)").isEcho)
    #expect(try !request("password=one\n\(rest)").isEcho)
  }

  @Test(
    "anything else is to be stored",
    arguments: [
      "username=ann\npassword=two\n\(rest)",
      "username=bob\npassword=one\n\(rest)",
      "username=ann\npassword=one\npassword_expiry_utc=4102444801\noauth_refresh_token=r\n",
      "username=ann\npassword=one\npassword_expiry_utc=4102444800\noauth_refresh_token=\n",
      "username=ann\npassword=one\npassword_expiry_utc=4102444800\n",
      "username=annone\npassword=\n\(rest)",
      "path=x\nusername=ann\npassword=one\n\(rest)",
      "host=other.example.com\nusername=ann\npassword=one\n\(rest)",
    ])
  func other(_ lines: String) throws {
    let state = try request("").state(of: item(), hasDerived: true)
    #expect(try !request("\(lines)state[]=\(state)\n").isEcho)
  }

  @Test("without a derivation there is no digest, and a spoiled one says nothing")
  func none() throws {
    let item = try item()
    let plain = try request("").state(of: item, hasDerived: false)
    #expect(plain == "vaultctl:\(item.id.text)")
    let state = try request("").state(of: item, hasDerived: true)
    for spoiled in [
      plain, plain + ":", plain + ":zz", String(state.dropLast()), state + "0",
      String(state.dropLast()) + "g",
    ] {
      let stored = try request("\(echoed)state[]=\(spoiled)\n")
      #expect(try !stored.isEcho)
      #expect(stored.givenItem == item.id)
    }
  }

  @Test("where the kernel keeps keys, the digest is under one, and derives none", .needsKeyrings)
  func keyed() throws {
    let item = try item()
    let state = try request("").state(of: item, hasDerived: true)
    let digest = try #require(state.split(separator: ":").last)
    #expect(digest.hasPrefix("k") && digest.count == 1 + 2 * KeyedDigest.count)
    // As a digest that is not keyed it says nothing.
    let slow = state.replacing(":k", with: ":")
    #expect(try !request("\(echoed)state[]=\(slow)\n").isEcho)
  }

  @Test("two digests of one secret differ")
  func salt() throws {
    let item = try item()
    let states = try (0..<2).map { _ in try request("").state(of: item, hasDerived: true) }
    #expect(states[0] != states[1])
  }
}
