import BusMessages
import CredentialVault
import Glibc
import SecureMemory
import Testing
import VaultModel

@testable import SecretService

/// The items that the service keeps for itself: its collections, and the portal's secrets.
@Suite("The Secret Service's own items")
struct ReservedTests {
  private static let portal = "org.freedesktop.impl.portal."

  /// A pipe, as the portal makes one for each call.
  private final class SecretPipe {
    private var ends: [Int32] = [0, 0]
    var descriptor: Int32 { ends[1] }

    init() {
      // It is given two descriptors, closed at the end.
      #expect(unsafe pipe(&ends) == 0)
      _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    }

    deinit { for end in ends { close(end) } }

    func read() -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: 100)
      // As many bytes as the array has, at most.
      let count = unsafe Glibc.read(ends[0], &bytes, bytes.count)
      return Array(bytes.prefix(max(0, count)))
    }
  }

  /// Asks for an application's secret.
  private func retrieve(
    _ application: String, on bench: ServiceFixture, _ pipe: SecretPipe, handle: String = "1",
    from sender: String = ":1.1"
  ) throws(BusError) -> [BusValue] {
    try bench.call(
      "/org/freedesktop/portal/desktop", Self.portal + "Secret", "RetrieveSecret",
      .path("/org/freedesktop/portal/desktop/request/\(handle)"), .text(application),
      .descriptor(pipe.descriptor), .variants([]), from: sender)
  }

  private func status(_ answer: [BusValue]) -> UInt32? {
    guard case .status(let status)? = answer.first else { return nil }
    return status
  }

  /// Asks for an application's secret; a status other than 0 has none.
  private func retrieve(
    _ application: String, on bench: ServiceFixture
  ) throws(BusError) -> (status: UInt32?, secret: [UInt8]) {
    let pipe = SecretPipe()
    let answer = try retrieve(application, on: bench, pipe)
    return (status(answer), pipe.read())
  }

  /// Returns the calls that were answered late, and their status.
  private func replies(_ bench: ServiceFixture) throws -> [UInt64: UInt32?] {
    var statuses: [UInt64: UInt32?] = [:]
    for reply in bench.service.takeReplies() {
      statuses[reply.call] = status(try reply.result.get())
    }
    return statuses
  }

  @Test("a locked vault's passphrase is asked for, and then each application gets its secret")
  func portalOfLocked() throws {
    let bench = try ServiceFixture()
    let known = try retrieve("org.example.One", on: bench).secret
    try bench.call(ServiceFixture.path, "Service", "Lock", .paths([ServiceFixture.login]))
    let pipes = (SecretPipe(), SecretPipe())
    #expect(try retrieve("org.example.One", on: bench, pipes.0).isEmpty)
    let one = bench.calls
    #expect(try retrieve("org.example.Two", on: bench, pipes.1, from: ":1.2").isEmpty)
    let two = bench.calls
    #expect(bench.asked == 1 && bench.service.isAsking)
    #expect(bench.requester == .application("org.example.One"))
    #expect(try replies(bench).isEmpty && pipes.0.read().isEmpty)
    try bench.type()
    #expect(try replies(bench) == [one: 0, two: 0])
    #expect(pipes.0.read() == known && pipes.1.read().count == 64)
    #expect(!bench.service.isAsking)
  }

  @Test("without the passphrase, or if the portal closes the request or leaves, it is cancelled")
  func portalCancelled() throws {
    let bench = try ServiceFixture()
    _ = try bench.search([:])
    try bench.call(ServiceFixture.path, "Service", "Lock", .paths([ServiceFixture.login]))
    let pipe = SecretPipe()
    let close = { (handle: String, sender: String) in
      refusal { () throws(BusError) in
        try bench.call(
          "/org/freedesktop/portal/desktop/request/\(handle)", Self.portal + "Request", "Close",
          from: sender)
      }
    }
    _ = try retrieve("org.example.One", on: bench, pipe)
    bench.service.passphraseEnded(isUnlocked: false)
    #expect(try replies(bench) == [bench.calls: 1])

    _ = try retrieve("org.example.One", on: bench, pipe, handle: "a")
    let call = bench.calls
    #expect(close("b", ":1.1") == "NoSuchObject" && close("a", ":1.9") == "NoSuchObject")
    #expect(close("a", ":1.1") == nil)
    #expect(try replies(bench) == [call: 1] && bench.cancelled == 1)

    _ = try retrieve("org.example.One", on: bench, pipe)
    bench.service.clientLeft(":1.1")
    #expect(try replies(bench) == [bench.calls: 1] && bench.cancelled == 2)
    #expect(pipe.read().isEmpty && !bench.service.isAsking)
  }

  @Test("an application's secret of the portal is its own and stays the same")
  func portal() throws {
    let bench = try ServiceFixture()
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
    let bench = try ServiceFixture()
    var rule = PersistencePolicy.Rule(name: "briefly")
    (rule.service, rule.maximumPersistence) = (SecretService.portalService, .session)
    let rules = [rule]
    try bench.vault.policy.update { $0 += rules }
    for _ in 0..<2 {
      #expect(
        refusal { () throws(BusError) in _ = try retrieve("org.example.One", on: bench) }
          == "AccessDenied")
    }
    #expect(try bench.vault.findAll(ItemQuery(itemClass: .genericPassword)).isEmpty)
  }

  @Test("a client's item is not taken for a collection, nor a user's for the service's own")
  func collections() throws {
    let bench = try ServiceFixture()
    let service = "org.freedesktop.Secret.Collection"
    let path = try bench.create(["service": service, "username": "work"], Secret("x"))
    #expect(try bench.secret(path) == Array("x".utf8))
    #expect(try bench.search(["service": service]).unlocked == [path])
    for (account, isNegative) in [("mine", false), ("a\"/><node name=\"b", true)] {
      var item = Item(service: service, account: account, secret: Secret("x"))
      item.isNegative = isNegative
      try bench.vault.add(item)
    }
    #expect(
      try bench.property("Collections", of: ServiceFixture.path, "Service")?.paths
        == [ServiceFixture.login, ServiceFixture.session])
    #expect(
      refusal { () throws(BusError) in
        _ = try bench.property("Label", of: ServiceFixture.path + "/collection/mine", "Collection")
      } == "NoSuchObject")
  }

  @Test("collections of one long label have names of their own")
  func longLabels() throws {
    let bench = try ServiceFixture()
    let label = String(repeating: "x", count: 100)
    let made = try (0..<3).map { _ in
      try bench.call(
        ServiceFixture.path, "Service", "CreateCollection",
        .variants([("org.freedesktop.Secret.Collection.Label", .text(label))]), .text(""))[0].path
    }
    #expect(Set(made).count == 3)
    #expect(
      try bench.property("Collections", of: ServiceFixture.path, "Service")?.paths?.suffix(3)
        .sorted()
        == made.compactMap { $0 }.sorted())
  }
}
