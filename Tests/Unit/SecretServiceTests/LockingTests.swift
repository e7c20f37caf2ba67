import BusMessages
import CredentialVault
import SecureMemory
import Testing
import VaultModel

@testable import SecretService

@Suite("Locking and prompts of the Secret Service")
struct LockingTests {
  private func locked() throws -> ServiceFixture {
    let bench = try ServiceFixture()
    _ = try bench.create(["a": "1"], Secret("one"))
    let locked = try bench.call(
      ServiceFixture.path, "Service", "Lock", .paths([ServiceFixture.login]))
    #expect(locked[0].paths == [ServiceFixture.login])
    _ = bench.service.takeSignals()
    return bench
  }

  private func unlock(
    _ bench: ServiceFixture, _ path: String, from sender: String = ":1.1"
  ) throws -> String {
    let answer = try bench.call(
      ServiceFixture.path, "Service", "Unlock", .paths([path]), from: sender)
    #expect(answer[0].paths == [])
    return answer[1].path ?? ""
  }

  private func completed(_ bench: ServiceFixture) -> [(BusSignal, Bool?, [String]?)] {
    bench.service.takeSignals().filter { $0.member == "Completed" }.map { signal in
      guard case .variant(let value) = signal.arguments[1] else { return (signal, nil, nil) }
      return (signal, signal.arguments[0].flag, value.paths)
    }
  }

  @Test("a locked vault tells nothing, and a search is answered once it is unlocked")
  func searching() throws {
    let bench = try locked()
    let (unlocked, found) = try bench.search(["a": "1"])
    #expect(unlocked == [] && found.count == 1)
    let path = found[0]
    #expect(try bench.property("Locked", of: path, "Item")?.flag == true)
    #expect(try bench.property("Locked", of: ServiceFixture.login, "Collection")?.flag == true)
    for refused in [path, ServiceFixture.login + "/00000000000000000000000001"] {
      #expect(refusal { () throws(BusError) in _ = try bench.secret(refused) } == "IsLocked")
    }
    #expect(refusal { () throws(BusError) in _ = try bench.create(["a": "2"]) } == "IsLocked")

    let prompt = try unlock(bench, path)
    #expect(bench.asked == 0)
    try bench.call(prompt, "Prompt", "Prompt", .text(""))
    #expect(bench.asked == 1 && bench.service.isAsking)
    try bench.type()
    let ended = completed(bench)
    #expect(ended.count == 1)
    #expect(ended[0].0.path == prompt && ended[0].0.destination == ":1.1")
    #expect(ended[0].1 == false && ended[0].2 == [path])
    #expect(try bench.secret(path) == Array("one".utf8))
    #expect(try bench.attributes(of: path) == ["a": "1"])
  }

  @Test("several prompts are one question, and all get its answer")
  func several() throws {
    let bench = try locked()
    let prompts = [
      try unlock(bench, ServiceFixture.login),
      try unlock(bench, ServiceFixture.session, from: ":1.2"),
    ]
    bench.service.clientIs(":1.1", process: 42)
    try bench.call(prompts[0], "Prompt", "Prompt", .text(""))
    try bench.call(prompts[1], "Prompt", "Prompt", .text(""), from: ":1.2")
    // The first of them is shown.
    #expect(bench.asked == 1 && bench.requester == .process(42))
    bench.service.passphraseEnded(isUnlocked: false)
    let ended = completed(bench)
    #expect(ended.map(\.0.path) == prompts && ended.map(\.0.destination) == [":1.1", ":1.2"])
    #expect(ended.allSatisfy { $0.1 == true && $0.2 == [] })
  }

  @Test("a prompt is dismissed by its client alone, and ends with it")
  func dismissing() throws {
    let bench = try locked()
    let prompt = try unlock(bench, ServiceFixture.login)
    #expect(
      refusal { () throws(BusError) in
        try bench.call(prompt, "Prompt", "Dismiss", from: ":1.9")
      } == "NoSuchObject")
    try bench.call(prompt, "Prompt", "Prompt", .text(""))
    try bench.call(prompt, "Prompt", "Dismiss")
    #expect(bench.cancelled == 1 && !bench.service.isAsking)
    #expect(completed(bench).map(\.1) == [true])
    let other = try unlock(bench, ServiceFixture.login, from: ":1.2")
    try bench.call(other, "Prompt", "Prompt", .text(""), from: ":1.2")
    bench.service.clientLeft(":1.2")
    #expect(bench.cancelled == 2 && !bench.service.isAsking)
  }

  @Test("prompts that are never completed are few")
  func bounded() throws {
    let bench = try locked()
    for _ in 0..<32 { _ = try unlock(bench, ServiceFixture.login) }
    #expect(
      refusal { () throws(BusError) in
        try bench.call(ServiceFixture.path, "Service", "Unlock", .paths([ServiceFixture.login]))
      } == "LimitsExceeded")
    _ = try unlock(bench, ServiceFixture.login, from: ":1.2")
    bench.service.clientLeft(":1.1")
    _ = try unlock(bench, ServiceFixture.login)
  }

  @Test("a program's prompts give way to another's, and are dismissed")
  func manyPrompts() throws {
    let bench = try locked()
    let friend = try unlock(bench, ServiceFixture.login, from: ":9.1")
    try bench.call(friend, "Prompt", "Prompt", .text(""), from: ":9.1")
    var prompts: [String] = []
    for number in 0..<511 {
      let client = ":2.\(number / 32)"
      bench.service.clientIs(client, process: 42)
      prompts.append(try unlock(bench, ServiceFixture.login, from: client))
      try bench.call(prompts[number], "Prompt", "Prompt", .text(""), from: client)
    }
    #expect(
      refusal { () throws(BusError) in
        try bench.call(
          ServiceFixture.path, "Service", "Unlock", .paths([ServiceFixture.login]), from: ":2.15")
      } == "LimitsExceeded")
    let new = try unlock(bench, ServiceFixture.login, from: ":9.2")
    #expect(completed(bench).map(\.0.path) == [prompts[0]])
    try bench.call(new, "Prompt", "Prompt", .text(""), from: ":9.2")
    #expect(bench.asked == 1)
    bench.service.passphraseEnded(isUnlocked: true)
    let ended = completed(bench)
    #expect(ended.count == 512 && ended.allSatisfy { $0.1 == false })
    #expect(ended.first?.0.path == friend && ended.last?.0.path == new)
  }

  @Test("an Unlock of too many objects is refused")
  func manyPaths() throws {
    let bench = try locked()
    let paths = [String](repeating: ServiceFixture.login, count: 1024)
    let prompt = try bench.call(ServiceFixture.path, "Service", "Unlock", .paths(paths))[1].path
    #expect(prompt != "/")
    #expect(
      refusal { () throws(BusError) in
        try bench.call(
          ServiceFixture.path, "Service", "Unlock", .paths(paths + [ServiceFixture.login]))
      } == "LimitsExceeded")
  }

  @Test("searches of a locked vault are few, of their client, and of a size that an item can have")
  func searches() throws {
    let bench = try locked()
    let search = { (value: String, sender: String) throws(BusError) -> String in
      try bench.call(
        ServiceFixture.path, "Service", "SearchItems", .texts(["a": value]), from: sender)[1].paths?
        .first
        ?? ""
    }
    let isKept = { (path: String) in
      refusal { () throws(BusError) in _ = try bench.property("Label", of: path, "Item") } == nil
    }
    let others = try search("1", ":1.2")
    let first = try search("0", ":1.1")
    var paths: [String] = []
    for number in 1...16 { paths.append(try search("\(number)", ":1.1")) }
    // A client that asks for more loses its own oldest, and another nothing.
    #expect(!isKept(first) && paths.allSatisfy(isKept) && isKept(others))
    #expect(try search("16", ":1.1") == paths.last)
    bench.service.clientLeft(":1.1")
    #expect(!paths.contains(where: isKept) && isKept(others))
    // All clients together also have a bound, which one program does not use up for others.
    var floods: [String] = []
    for client in 2..<18 {
      bench.service.clientIs(":2.\(client)", process: 42)
      for number in 0..<16 { floods.append(try search("\(number)", ":2.\(client)")) }
    }
    #expect(!isKept(floods[0]) && floods.dropFirst().allSatisfy(isKept) && isKept(others))
    let new = try search("x", ":3.1")
    #expect(isKept(new) && isKept(others) && !isKept(floods[1]) && isKept(floods[2]))

    let large: [[String: String]] = [
      ["a": String(repeating: "x", count: 1 << 16)],
      Dictionary(uniqueKeysWithValues: (0..<81).map { ("a\($0)", "x") }),
    ]
    for isUnlocked in [false, true] {
      if isUnlocked { try bench.type() }
      for attributes in large {
        for (path, interface) in [
          (ServiceFixture.path, "Service"), (ServiceFixture.login, "Collection"),
        ] {
          #expect(
            refusal { () throws(BusError) in
              try bench.call(path, interface, "SearchItems", .texts(attributes))
            } == "LimitsExceeded")
        }
      }
    }
  }

  @Test("an Unlock that unlocks nothing leaves it locked by the client that locked it")
  func stillLocked() throws {
    let bench = try locked()
    _ = try unlock(bench, ServiceFixture.login)
    #expect(bench.served.isLockedByClient)
    try bench.type()
    #expect(!bench.served.isLockedByClient)
  }

  @Test("everybody is told once of each change of the lock, however it came about")
  func told() throws {
    let bench = try ServiceFixture()
    func told() -> [Bool?] {
      bench.service.takeSignals().filter {
        $0.member == "PropertiesChanged" && $0.path == ServiceFixture.login
      }.map { $0.arguments[1].variants?["Locked"]?.flag }
    }
    _ = try bench.create(["a": "1"])
    #expect(told() == [false])
    _ = try bench.create(["a": "2"])
    #expect(told() == [])
    // Another object of this process locks it, which no call says.
    try bench.vault.lock()
    #expect(try bench.search(["a": "1"]).unlocked == [])
    #expect(told() == [true])
    try bench.type()
    #expect(told() == [false])
    try bench.call(ServiceFixture.path, "Service", "Lock", .paths([ServiceFixture.login]))
    #expect(told() == [true])
    try bench.call(ServiceFixture.path, "Service", "Lock", .paths([ServiceFixture.login]))
    #expect(told() == [])
  }
}
