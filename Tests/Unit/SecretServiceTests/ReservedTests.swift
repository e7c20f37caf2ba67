import BusMessages
import CredentialVault
import Glibc
import SecureMemory
import Testing
import VaultModel

@testable import SecretService

/// What the service keeps in the vault for itself: its collections, and the portal's secrets.
@Suite("The Secret Service's own items")
struct ReservedTests {
  /// Asks for an application's secret; a status other than 0 has none.
  private func retrieve(
    _ application: String, on bench: Bench
  ) throws(BusError) -> (status: UInt32?, secret: [UInt8]) {
    var ends: [Int32] = [0, 0]
    // It is given two descriptors, closed below.
    #expect(unsafe pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    let answer = try bench.call(
      "/org/freedesktop/portal/desktop", "org.freedesktop.impl.portal.Secret",
      "RetrieveSecret", .path("/request"), .text(application), .descriptor(ends[1]),
      .variants([]))
    guard case .status(let status) = answer[0] else { return (nil, []) }
    var bytes = [UInt8](repeating: 0, count: 100)
    // As many bytes as the array has, at most.
    let count = unsafe read(ends[0], &bytes, bytes.count)
    return (status, Array(bytes.prefix(max(0, count))))
  }

  @Test("an application's secret of the portal is its own and stays the same")
  func portal() throws {
    let bench = try Bench()
    let first = try retrieve("org.example.One", on: bench)
    #expect(first.status == 0 && first.secret.count == 64)
    #expect(try retrieve("org.example.One", on: bench).secret == first.secret)
    #expect(try retrieve("org.example.Two", on: bench).secret != first.secret)
    // No client finds it, or puts another in its place.
    let attributes = ["service": SecretService.portalService, "username": "org.example.One"]
    #expect(try bench.search([:]).unlocked == [])
    let path = try bench.create(attributes)
    #expect(try bench.search(attributes).unlocked == [path])
    #expect(try retrieve("org.example.One", on: bench).secret == first.secret)
  }

  @Test("an application's secret that the policy does not keep is refused, again and again")
  func portalOfSession() throws {
    let bench = try Bench()
    var rule = PersistencePolicy.Rule(name: "briefly")
    (rule.service, rule.maximumPersistence) = (SecretService.portalService, .session)
    let rules = [rule]
    try bench.vault.policy.update { $0 += rules }
    for _ in 0..<2 {
      #expect(
        refusal { () throws(BusError) in _ = try retrieve("org.example.One", on: bench) }
          == "AccessDenied")
    }
    #expect(try bench.vault.genericPasswords.findAll().isEmpty)
  }

  @Test("a client's item is not taken for a collection, nor a user's for the service's own")
  func collections() throws {
    let bench = try Bench()
    let service = "org.freedesktop.Secret.Collection"
    let path = try bench.create(["service": service, "username": "work"], Secret("x"))
    #expect(try bench.secret(path) == Array("x".utf8))
    #expect(try bench.search(["service": service]).unlocked == [path])
    for (account, isNegative) in [("mine", false), ("a\"/><node name=\"b", true)] {
      var item = GenericPassword(service: service, account: account, secret: Secret("x"))
      item.isNegative = isNegative
      try bench.vault.genericPasswords.add(item)
    }
    #expect(
      try bench.property("Collections", of: Bench.path, "Service")?.paths
        == [Bench.login, Bench.session])
    #expect(
      refusal { () throws(BusError) in
        _ = try bench.property("Label", of: Bench.path + "/collection/mine", "Collection")
      } == "NoSuchObject")
  }

  @Test("collections of one long label have names of their own")
  func longLabels() throws {
    let bench = try Bench()
    let label = String(repeating: "x", count: 100)
    let made = try (0..<3).map { _ in
      try bench.call(
        Bench.path, "Service", "CreateCollection",
        .variants([("org.freedesktop.Secret.Collection.Label", .text(label))]), .text(""))[0].path
    }
    #expect(Set(made).count == 3)
    #expect(
      try bench.property("Collections", of: Bench.path, "Service")?.paths?.suffix(3).sorted()
        == made.compactMap { $0 }.sorted())
  }
}
