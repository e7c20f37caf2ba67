import Foundation
import ProgramTesting
import TestTraits
import Testing

@Suite("git against a real server", .waiting)
struct GitTests {
  let sandbox: Sandbox
  let server: GitServer

  init() throws {
    sandbox = try Sandbox()
    server = try GitServer(
      in: sandbox, users: ["ann": "correct horse", "bob": "battery:staple", "eve": "rook"],
      repositories: ["one", "two"])
    try #require(try sandbox.makeVault().status == 0)
    try #require(
      try sandbox.run("git", "config", "--global", "credential.helper", "vaultctl").status == 0)
  }

  func add(_ user: String, _ password: String, path: String = "") throws {
    let result = try sandbox.run(
      "vaultctl", "add", "-r", "http", "-s", "127.0.0.1", "-P", "\(server.port)",
      "-d", "Team Git", "-a", user, "-p", path, "--password-stdin", input: password)
    try #require(result.status == 0, "\(result.errors)")
  }

  func stored(_ user: String) throws -> Sandbox.Result {
    try sandbox.run("vaultctl", "find", "-s", "127.0.0.1", "-a", user, "-w")
  }

  /// Expects that these users, and no others, have asked the server.
  func expectUsers(_ users: Set<String>) throws {
    func named(_ requests: [String]) -> Set<String> {
      Set(requests.compactMap { $0.split(separator: " ").first.map(String.init) })
    }
    let requests = try server.requests { named($0) == users }
    #expect(named(requests) == users)
  }

  @Test("clone, push and fetch log in with what the vault holds, and change nothing in it")
  func cloneAndPush() throws {
    try add("ann", "correct horse")
    let vault = sandbox.home.appending(path: "test.vault")
    let before = try Data(contentsOf: vault)
    for command in [
      ["clone", "-q", server.url("one"), "first"],
      ["-C", "first", "commit", "-q", "--allow-empty", "-m", "Begin"],
      ["-C", "first", "push", "-q", "origin", "HEAD:main"],
      ["clone", "-q", server.url("one"), "second"],
      ["-C", "first", "commit", "-q", "--allow-empty", "-m", "Go on"],
      ["-C", "first", "push", "-q", "origin", "HEAD:main"],
      ["-C", "second", "fetch", "-q", "origin"],
    ] {
      let result = try sandbox.run(["git"] + command)
      #expect(result.status == 0, "git \(command): \(result.errors)")
    }
    let subject = try sandbox.run("git", "-C", "second", "log", "-1", "--format=%s", "origin/main")
    #expect(subject.output == "Go on\n")
    let log = try server.requests { $0.contains("ann POST /git/one.git/git-receive-pack 200") }
    #expect(log.contains("- GET /git/one.git/info/refs?service=git-upload-pack 401"))
    #expect(log.contains("ann POST /git/one.git/git-receive-pack 200"))
    #expect(!log.contains { $0.hasPrefix("ann") && $0.hasSuffix("401") })
    #expect(try Data(contentsOf: vault) == before)
  }

  @Test("a vault without the credential gives nothing, and says nothing")
  func miss() throws {
    let result = try sandbox.run("git", "clone", "-q", server.url("one"), "work")
    #expect(result.status == 128)
    #expect(
      result.errors.split(separator: "\n") == [
        "fatal: could not read Username for 'http://127.0.0.1:\(server.port)': "
          + "terminal prompts disabled"
      ])
    try expectUsers(["-"])
  }

  @Test("a locked vault is said to be locked, and loses nothing")
  func locked() throws {
    try add("ann", "correct horse")
    let result = try sandbox.run(
      "git", "clone", "-q", server.url("one"), "work", environment: ["VAULTCTL_KEY_FILE": .none])
    #expect(result.status == 128)
    #expect(result.errors.contains("none was given"))
    try expectUsers(["-"])
    #expect(try stored("ann").output == "correct horse\n")
  }

  @Test("a password that the server refuses is erased, and others stay")
  func refused() throws {
    try add("ann", "correct horse")
    try add("bob", "an old password")
    let result = try sandbox.run("git", "clone", "-q", server.url(user: "bob", "one"), "work")
    #expect(result.status == 128)
    func isRefused(_ request: String) -> Bool {
      request.hasPrefix("bob") && request.hasSuffix("401")
    }
    #expect(try server.requests { $0.contains(where: isRefused) }.contains(where: isRefused))
    #expect(try stored("bob").status == 44)
    #expect(try stored("ann").output == "correct horse\n")
  }

  @Test("the user in the address chooses among several", arguments: ["ann", "bob"])
  func severalUsers(user: String) throws {
    try add("ann", "correct horse")
    try add("bob", "battery:staple")
    let result = try sandbox.run("git", "clone", "-q", server.url(user: user, "one"), "work")
    #expect(result.status == 0, "\(result.errors)")
    try expectUsers(["-", user])
  }

  @Test("with useHttpPath each repository has its own credential")
  func paths() throws {
    try add("ann", "correct horse", path: "git/one.git")
    try add("bob", "battery:staple", path: "git/two.git")
    for name in ["one", "two"] {
      let result = try sandbox.run(
        "git", "-c", "credential.useHttpPath=true", "clone", "-q", server.url(name), name)
      #expect(result.status == 0, "\(result.errors)")
    }
    let expected = [
      "ann GET /git/one.git/info/refs?service=git-upload-pack 200",
      "bob GET /git/two.git/info/refs?service=git-upload-pack 200",
    ]
    let log = try server.requests { Set($0).isSuperset(of: expected) }
    #expect(Set(log).isSuperset(of: expected))
    #expect(!log.contains { $0.hasPrefix("ann GET /git/two.git") })
    #expect(!log.contains { $0.hasPrefix("bob GET /git/one.git") })
  }

  @Test("two accounts of one host, and a third for one repository")
  func accounts() throws {
    try add("bob", "battery:staple")
    try add("ann", "correct horse")
    try add("eve", "rook", path: "git/two.git")
    let chosen = try sandbox.run(
      "vaultctl", "default", "set", "-s", "127.0.0.1", "-p", "", "-a", "bob")
    try #require(chosen.status == 0, "\(chosen.errors)")
    let vault = sandbox.home.appending(path: "test.vault")
    let before = try Data(contentsOf: vault)
    let urls = [server.url("one"), server.url(user: "ann", "one"), server.url("two")]
    for (index, url) in urls.enumerated() {
      let result = try sandbox.run(
        "git", "-c", "credential.useHttpPath=true", "clone", "-q", url, "work-\(index)")
      #expect(result.status == 0, "\(result.errors)")
    }
    func found(_ requests: [String]) -> [String] {
      requests.filter { $0.hasSuffix("git-upload-pack 200") && $0.contains(" GET ") }
    }
    #expect(
      found(try server.requests { found($0).count == 3 }) == [
        "bob GET /git/one.git/info/refs?service=git-upload-pack 200",
        "ann GET /git/one.git/info/refs?service=git-upload-pack 200",
        "eve GET /git/two.git/info/refs?service=git-upload-pack 200",
      ])
    #expect(try Data(contentsOf: vault) == before)
  }

  @Test("with useHttpPath a repository that has no credential is a miss")
  func otherPath() throws {
    try add("ann", "correct horse", path: "git/one.git")
    let result = try sandbox.run(
      "git", "-c", "credential.useHttpPath=true", "clone", "-q", server.url("two"), "two")
    #expect(result.status == 128)
    try expectUsers(["-"])
  }

  @Test("a password typed once is stored, and answers the next time")
  func storedAfterUse() throws {
    let script = "#!/bin/sh\ncase $1 in Username*) echo ann ;; *) echo 'correct horse' ;; esac\n"
    let answers = try sandbox.makeProgram("askpass", script)
    let typed = try sandbox.run(
      "git", "clone", "-q", server.url("one"), "first", environment: ["GIT_ASKPASS": answers])
    #expect(typed.status == 0, "\(typed.errors)")
    #expect(try stored("ann").output == "correct horse\n")
    let remembered = try sandbox.run("git", "clone", "-q", server.url("one"), "second")
    #expect(remembered.status == 0, "\(remembered.errors)")
  }
}
