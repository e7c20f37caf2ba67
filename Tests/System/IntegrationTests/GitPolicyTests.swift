import Foundation
import ProgramTesting
import TestTraits
import Testing

/// The effect of a policy on the credentials that git stores, through git's own front end.
@Suite("git credential under a policy", .waiting)
struct GitPolicyTests {
  let sandbox: Sandbox

  init() throws {
    sandbox = try Sandbox()
    try #require(try sandbox.makeVault().status == 0)
  }

  private func credential(_ action: String, _ lines: [String]) throws -> Sandbox.Result {
    try sandbox.run(
      "git", "-c", "credential.helper=vaultctl", "credential", action,
      input: lines.map { "\($0)\n" }.joined(), environment: ["GIT_ASKPASS": .none])
  }

  private func approve(_ password: String) throws -> Sandbox.Result {
    try credential(
      "approve", ["protocol=https", "host=example.com", "username=ann", "password=\(password)"])
  }

  private func fill() throws -> Sandbox.Result {
    try credential("fill", ["protocol=https", "host=example.com"])
  }

  private func addRule(_ options: String...) throws {
    let result = try sandbox.run(
      ["vaultctl", "policy", "add", "-q", "--name", "here", "--host", "example.com"] + options)
    try #require(result.status == 0, "\(result.errors)")
  }

  @Test(
    "what may not be kept is not remembered: git goes on, and one line names the rule",
    arguments: [["--max", "session"], ["--max", "none"], ["--refuse"]])
  func notRemembered(options: [String]) throws {
    let rule = try sandbox.run(
      ["vaultctl", "policy", "add", "-q", "--name", "here", "--host", "example.com"] + options)
    try #require(rule.status == 0, "\(rule.errors)")
    let vault = sandbox.home.appending(path: "test.vault")
    let before = try Data(contentsOf: vault)
    let result = try approve("correct horse")
    #expect(result.status == 0)
    #expect(result.output == "")
    #expect(result.errors.split(separator: "\n").count == 1)
    #expect(result.errors.hasPrefix("vaultctl: warning: not remembered: rule \"here\" "))
    #expect(!result.errors.contains("correct horse"))
    #expect(try Data(contentsOf: vault) == before)
    #expect(try fill().status == 128)
  }

  @Test("what git stores a server has accepted, and what it rejects goes")
  func acceptance() throws {
    try addRule("--after-acceptance")
    let stored = try approve("correct horse")
    #expect(stored.status == 0 && stored.errors == "")
    #expect(try fill().lines.contains("password=correct horse"))
    #expect(try approve("battery staple").errors == "")
    #expect(try fill().lines.contains("password=battery staple"))
    let rejected = try credential(
      "reject",
      ["protocol=https", "host=example.com", "username=ann", "password=battery staple"])
    #expect(rejected.status == 0 && rejected.errors == "")
    #expect(try fill().status == 128)
  }

  @Test("a stored password that may no longer be kept is not replaced, and still answers")
  func tightened() throws {
    #expect(try approve("correct horse").errors == "")
    try addRule("--max", "none")
    #expect(try approve("correct horse").errors == "")
    #expect(try approve("battery staple").errors.contains("not remembered"))
    #expect(try fill().lines.contains("password=correct horse"))
  }

  @Test("git is told the policy's time, and sending it back does not make it the item's own")
  func expiry() throws {
    try addRule("--lifetime", "30d")
    #expect(try approve("correct horse").errors == "")
    let request = "protocol=https\nhost=example.com\n"
    let answer = try sandbox.run("vaultctl", "git-credential", "get", input: request)
    let expiry = try #require(answer.lines.first { $0.hasPrefix("password_expiry_utc=") })
    let vault = sandbox.home.appending(path: "test.vault")
    let before = try Data(contentsOf: vault)
    let back = try sandbox.run(
      "vaultctl", "git-credential", "store",
      input: request + "username=ann\npassword=correct horse\n\(expiry)\n")
    #expect(back.status == 0 && back.errors == "")
    #expect(try Data(contentsOf: vault) == before)
    let item = try sandbox.run("vaultctl", "show", "https://example.com")
    #expect(item.lines.contains { $0.hasPrefix("kept until: ") })
    #expect(!item.lines.contains { $0.hasPrefix("expires: ") })
  }

  @Test("the item's own time is told where it is earlier than the policy's")
  func earlier() throws {
    try addRule("--lifetime", "30d")
    let add = try sandbox.run(
      "vaultctl", "add", "-q", "-r", "https", "-s", "example.com", "-a", "ann", "--expires", "+1d",
      "--password-stdin", input: "correct horse")
    try #require(add.status == 0)
    let answer = try sandbox.run(
      "vaultctl", "git-credential", "get", input: "protocol=https\nhost=example.com\n")
    let seconds = answer.lines.first { $0.hasPrefix("password_expiry_utc=") }
      .flatMap { Int($0.split(separator: "=")[1]) }
    let inTwoDays = Int(Date.now.timeIntervalSince1970) + 2 * 86_400
    #expect(try #require(seconds) < inTwoDays)
  }

  @Test("an expired password is no answer, without a word, and a new one is kept again")
  func expired() throws {
    try addRule("--lifetime", "1s")
    #expect(try approve("correct horse").errors == "")
    while try sandbox.run("vaultctl", "find", "-s", "example.com", "-w").status == 0 {}
    let miss = try sandbox.run(
      "vaultctl", "git-credential", "get", input: "protocol=https\nhost=example.com\n")
    #expect(miss.status == 0 && miss.output == "" && miss.errors == "")
    #expect(try fill().status == 128)
    let same = try approve("correct horse")
    #expect(same.status == 0)
    #expect(same.errors.hasPrefix("vaultctl: warning: not remembered: "))
    #expect(same.errors.split(separator: "\n").count == 1)
    let forgotten = try sandbox.run("vaultctl", "policy", "remove", "-q", "here")
    try #require(forgotten.status == 0)
    #expect(try approve("battery staple").errors == "")
    #expect(try fill().lines.contains("password=battery staple"))
  }
}
