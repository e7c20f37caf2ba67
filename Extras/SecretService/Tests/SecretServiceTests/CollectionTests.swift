import BusMessages
import CredentialVault
import SecureMemory
import TestSupport
import Testing
import VaultModel
import VaultStore

@testable import SecretService

@Suite("Collections of a locked vault")
struct CollectionTests {
  private func make(
    _ label: String, _ alias: String = "", on bench: ServiceFixture
  ) throws(BusError) -> String {
    try bench.call(
      ServiceFixture.path, "Service", "CreateCollection",
      .variants([("org.freedesktop.Secret.Collection.Label", .text(label))]), .text(alias))[0]
      .path ?? ""
  }

  private func collections(_ bench: ServiceFixture) throws(BusError) -> [String]? {
    try bench.property("Collections", of: ServiceFixture.path, "Service")?.paths
  }

  private func collection(
    ofAlias alias: String, _ bench: ServiceFixture
  ) throws(BusError) -> String? {
    try bench.call(ServiceFixture.path, "Service", "ReadAlias", .text(alias))[0].path
  }

  @Test("a collection that a client made is listed, named and told of, also by a new service")
  func listed() throws {
    let bench = try ServiceFixture()
    let work = try make("My work", "work", on: bench)
    try bench.call(
      ServiceFixture.path, "Service", "SetAlias", .text("default"), .path(work))
    _ = bench.service.takeLockSignals()
    try bench.call(ServiceFixture.path, "Service", "Lock", .paths([work]))
    let told = bench.service.takeLockSignals().filter { $0.member == "PropertiesChanged" }
    #expect(told.map(\.path) == [ServiceFixture.login, ServiceFixture.session, work])
    #expect(told.allSatisfy { $0.arguments[1].variants?["Locked"]?.flag == true })
    for isNew in [false, true] {
      if isNew { try bench.restart() }
      #expect(try collections(bench) == [ServiceFixture.login, ServiceFixture.session, work])
      #expect(try bench.property("Label", of: work, "Collection")?.text == "My work")
      #expect(try bench.property("Locked", of: work, "Collection")?.flag == true)
      for alias in ["work", "default"] { #expect(try collection(ofAlias: alias, bench) == work) }
      // Whether there is another one, nobody knows.
      #expect(
        refusal { () throws(BusError) in
          _ = try bench.property("Label", of: work + "s", "Collection")
        } == "IsLocked")
    }
    try bench.type()
    #expect(
      refusal { () throws(BusError) in
        _ = try bench.property("Label", of: work + "s", "Collection")
      } == "NoSuchObject")
    try bench.call(work, "Collection", "Delete")
    try bench.call(ServiceFixture.path, "Service", "Lock", .paths([ServiceFixture.login]))
    try bench.restart()
    #expect(try collections(bench) == [ServiceFixture.login, ServiceFixture.session])
    #expect(try collection(ofAlias: "default", bench) == ServiceFixture.login)
  }

  /// Begins to make a collection in a locked vault, and returns the prompt.
  private func begin(
    _ label: String, _ alias: String = "", on bench: ServiceFixture
  ) throws(BusError) -> String {
    let answer = try bench.call(
      ServiceFixture.path, "Service", "CreateCollection",
      .variants([("org.freedesktop.Secret.Collection.Label", .text(label))]), .text(alias))
    #expect(answer[0].path == "/")
    return answer[1].path ?? ""
  }

  private func completed(_ bench: ServiceFixture) -> [(isDismissed: Bool?, path: String?)] {
    bench.service.takeSignals().filter { $0.member == "Completed" }.map { signal in
      guard case .variant(let result) = signal.arguments[1] else { return (nil, nil) }
      return (signal.arguments[0].flag, result.path)
    }
  }

  @Test("a collection is made in a locked vault by a prompt, and not if that is refused")
  func prompted() throws {
    let bench = try ServiceFixture()
    // The vault of the tests is unlocked, and opened by the service when it first looks.
    #expect(try collections(bench) == [ServiceFixture.login, ServiceFixture.session])
    try bench.call(ServiceFixture.path, "Service", "Lock", .paths([ServiceFixture.login]))
    let refused = try begin("Work", on: bench)
    try bench.call(refused, "Prompt", "Prompt", .text(""))
    #expect(bench.asked == 1)
    bench.service.passphraseEnded(isUnlocked: false)
    #expect(completed(bench).map(\.isDismissed) == [true])
    let prompt = try begin("Work", "job", on: bench)
    let known = try begin("Main", "default", on: bench)
    for path in [prompt, known] { try bench.call(path, "Prompt", "Prompt", .text("")) }
    #expect(try collections(bench) == [ServiceFixture.login, ServiceFixture.session])
    try bench.type()
    let work = ServiceFixture.path + "/collection/Work"
    let ended = completed(bench)
    #expect(ended.map(\.isDismissed) == [false, false])
    #expect(ended.map(\.path) == [work, ServiceFixture.login])
    #expect(try collections(bench) == [ServiceFixture.login, ServiceFixture.session, work])
    #expect(try collection(ofAlias: "job", bench) == work)
    #expect(try bench.property("Label", of: ServiceFixture.login, "Collection")?.text == "Main")
    // What a prompt keeps is small.
    try bench.call(ServiceFixture.path, "Service", "Lock", .paths([work]))
    let long = String(repeating: "x", count: 1 << 16)
    #expect(
      refusal { () throws(BusError) in _ = try begin(long, on: bench) } == "LimitsExceeded")
    // One that cannot be made counts as dismissed: there are too many.
    try bench.type()
    while refusal({ () throws(BusError) in _ = try make("More", on: bench) }) == nil {}
    try bench.call(ServiceFixture.path, "Service", "Lock", .paths([work]))
    let last = try begin("Last", on: bench)
    try bench.call(last, "Prompt", "Prompt", .text(""))
    _ = bench.service.takeSignals()
    try bench.type()
    #expect(completed(bench).map(\.isDismissed) == [true])
  }

  @Test("the file has names, labels and aliases alone, and a broken one counts as none")
  func file() throws {
    let bench = try ServiceFixture()
    let work = try make("Wörk\n", "job", on: bench)
    _ = try bench.create(["secret-name": "x"], in: work)
    #expect(try collections(bench)?.last == work)
    let known = KnownCollections(ofVaultAt: bench.vault.path)
    let path = try #require(known.path)
    let content = try #require(try SmallFile.read(path, atMost: 1 << 20))
    let name = work.split(separator: "/").last ?? ""
    #expect(content == Array("n\(name)\0lWörk\n\0ajob\0".utf8))
    #expect(known.collections.map(\.aliases) == [["job"]])

    let broken: [[UInt8]] = [
      [], [0, 0], Array("lnone\0anone\0".utf8), Array("n../x\0".utf8), Array("n\0x\0".utf8),
      [0x6E, 0xFF, 0], [UInt8](repeating: 0x6E, count: (1 << 20) + 1),
    ]
    for bytes in broken {
      try SmallFile.replace(path, with: bytes)
      #expect(KnownCollections(ofVaultAt: bench.vault.path).collections.isEmpty)
    }
  }
}
