import Foundation
import Glibc
import ProgramTesting
import TestTraits
import Testing

/// Git's requests to an external helper, through git's own front end.
///
/// A miss shows as git asking its askpass program, which writes down each question.
@Suite("git-credential-vaultctl under git credential", .waiting)
struct GitHelperTests {
  let sandbox: Sandbox
  let askpass: String

  init() throws {
    sandbox = try Sandbox()
    try #require(try sandbox.makeVault().status == 0)
    let script = """
      #!/bin/sh
      printf '%s\\n' "$1" >>asked
      case $1 in Username*) echo asked-user ;; *) echo asked-password ;; esac
      """
    askpass = try sandbox.makeProgram("askpass", script)
  }

  @discardableResult
  func credential(
    _ action: String, _ lines: [String], useHttpPath: Bool = false
  ) throws -> Sandbox.Result {
    let result = try sandbox.run(
      "git", "-c", "credential.helper=vaultctl", "-c", "credential.useHttpPath=\(useHttpPath)",
      "credential", action,
      input: lines.map { "\($0)\n" }.joined(),
      environment: ["GIT_ASKPASS": askpass])
    #expect(result.status == 0)
    #expect(result.errors == "")
    return result
  }

  /// Returns the user and password that git gets, or nil if it had to prompt.
  func fill(_ lines: String..., useHttpPath: Bool = false) throws -> [String]? {
    let result = try credential("fill", lines, useHttpPath: useHttpPath)
    let asked = sandbox.home.appending(path: "asked").path
    if FileManager.default.fileExists(atPath: asked) {
      try FileManager.default.removeItem(atPath: asked)
      return nil
    }
    return ["username=", "password="].compactMap { key in
      result.lines.first { $0.hasPrefix(key) }.map { String($0.dropFirst(key.count)) }
    }
  }

  func approve(_ lines: String..., useHttpPath: Bool = false) throws {
    try credential("approve", lines, useHttpPath: useHttpPath)
  }

  func reject(_ lines: String...) throws { try credential("reject", lines) }

  @Test(
    "on a read-only home, a password that is there already is approved without a word",
    .enabled(if: geteuid() == 0))
  func readOnlyHome() throws {
    try approve("protocol=https", "host=example.com", "username=ann", "password=one")
    let script = """
      mount --bind "$HOME" "$HOME"; mount -o remount,ro,bind "$HOME"; cd "$HOME"
      (: >new) 2>/dev/null && exit 3
      printf 'protocol=https\nhost=example.com\nusername=ann\npassword=%s\n' "$0" |
        git -c credential.helper=vaultctl credential approve
      """
    for (password, message) in [("one", ""), ("two", "Read-only file system")] {
      let result = try sandbox.run([
        "unshare", "--mount", "--propagation", "private", "sh", "-euc", script, password,
      ])
      #expect(result.status == 0)
      #expect(
        message.isEmpty ? result.errors.isEmpty : result.errors.contains(message),
        "\(result.errors)")
    }
  }

  @Test("an empty vault has no answer, and get prints nothing at all")
  func miss() throws {
    #expect(try fill("protocol=https", "host=example.com") == nil)
    let direct = try sandbox.run(
      "vaultctl", "git-credential", "get", input: "protocol=https\nhost=example.com\n\n")
    #expect(direct.status == 0)
    #expect(direct.output == "")
    #expect(direct.errors == "")
  }

  @Test("what was stored is got")
  func storeAndGet() throws {
    try approve("protocol=https", "host=example.com", "username=ann", "password=one two=3 ")
    #expect(try fill("protocol=https", "host=example.com") == ["ann", "one two=3 "])
    #expect(try fill("url=https://ann@example.com/team.git") == ["ann", "one two=3 "])
  }

  @Test(
    "another protocol, host, port or user is a miss",
    arguments: [
      ["protocol=http", "host=example.com"],
      ["protocol=https", "host=other.example.com"],
      ["protocol=https", "host=example.com:8443"],
      ["protocol=https", "host=example.com", "username=bob"],
    ])
  func mismatch(request: [String]) throws {
    try approve("protocol=https", "host=example.com", "username=ann", "password=one")
    try credential("fill", request)
    let asked = try String(
      contentsOf: sandbox.home.appending(path: "asked"), encoding: .utf8)
    #expect(asked.contains("Password for "))
  }

  @Test("upper case and the default port name the same host")
  func canonicalHost() throws {
    try approve("protocol=https", "host=example.com", "username=ann", "password=one")
    #expect(try fill("protocol=https", "host=EXAMPLE.com:443") == ["ann", "one"])
  }

  @Test("a stored password overwrites the one before")
  func overwrite() throws {
    try approve("protocol=https", "host=example.com", "username=ann", "password=one")
    try approve("protocol=https", "host=example.com", "username=ann", "password=two")
    #expect(try fill("protocol=https", "host=example.com") == ["ann", "two"])
    let list = try sandbox.run("vaultctl", "find", "-s", "example.com", "-a", "ann", "-w")
    #expect(list.output == "two\n")
  }

  @Test("a new password goes to the item that answers, realm and label kept, no twin made")
  func metadataKept() throws {
    let add = try sandbox.run(
      "vaultctl", "add", "-r", "https", "-s", "example.com", "-d", "Team Git", "-a", "ann",
      "-l", "Git at work", "--password-stdin", input: "one")
    try #require(add.status == 0)
    try approve("protocol=https", "host=example.com", "username=ann", "password=two")
    #expect(try fill("protocol=https", "host=example.com") == ["ann", "two"])
    let list = try sandbox.run("vaultctl", "list")
    #expect(list.lines.count == 1)
    let item = try sandbox.run("vaultctl", "show", "https://example.com")
    #expect(item.lines.contains("realm: Team Git"))
    #expect(item.lines.contains("label: Git at work"))
  }

  @Test("each of several users has a password; without a user the last stored answers")
  func severalUsers() throws {
    try approve("protocol=https", "host=example.com", "username=ann", "password=one")
    try approve("protocol=https", "host=example.com", "username=bob", "password=two")
    #expect(try fill("protocol=https", "host=example.com", "username=ann") == ["ann", "one"])
    #expect(try fill("protocol=https", "host=example.com", "username=bob") == ["bob", "two"])
    #expect(try fill("protocol=https", "host=example.com") == ["bob", "two"])
  }

  @Test("erase with another password keeps the stored one")
  func eraseOtherPassword() throws {
    try approve("protocol=https", "host=example.com", "username=ann", "password=new")
    try reject("protocol=https", "host=example.com", "username=ann", "password=old")
    #expect(try fill("protocol=https", "host=example.com") == ["ann", "new"])
  }

  @Test("erase with a user forgets that user alone")
  func eraseUser() throws {
    try approve("protocol=https", "host=example.com", "username=ann", "password=one")
    try approve("protocol=https", "host=example.com", "username=bob", "password=two")
    try reject("protocol=https", "host=example.com", "username=bob")
    #expect(try fill("protocol=https", "host=example.com", "username=bob") == nil)
    #expect(try fill("protocol=https", "host=example.com") == ["ann", "one"])
  }

  @Test("erase with a host alone forgets every user there, and no other host")
  func eraseHost() throws {
    try approve("protocol=https", "host=example.com", "username=ann", "password=one")
    try approve("protocol=https", "host=example.com", "username=bob", "password=two")
    try approve("protocol=https", "host=example.org", "username=ann", "password=three")
    try reject("protocol=https", "host=example.com")
    #expect(try fill("protocol=https", "host=example.com") == nil)
    #expect(try fill("protocol=https", "host=example.org") == ["ann", "three"])
  }

  @Test("erase with nothing in the request erases nothing")
  func eraseNothing() throws {
    try approve("protocol=https", "host=example.com", "username=ann", "password=one")
    let result = try sandbox.run("vaultctl", "git-credential", "erase", input: "")
    #expect(result.status == 0)
    #expect(try fill("protocol=https", "host=example.com") == ["ann", "one"])
  }

  @Test("with useHttpPath the path must match, and no path matches any")
  func path() throws {
    try approve(
      "protocol=http", "host=path.example", "path=one.git", "username=ann", "password=one",
      useHttpPath: true)
    #expect(
      try fill("protocol=http", "host=path.example", "path=one.git", useHttpPath: true)
        == ["ann", "one"])
    #expect(
      try fill("protocol=http", "host=path.example", "path=two.git", useHttpPath: true) == nil)
    #expect(try fill("protocol=http", "host=path.example", "path=two.git") == ["ann", "one"])
  }

  @Test("an empty user and an empty password are values")
  func empty() throws {
    try approve("protocol=https", "host=sso.example", "username=", "password=")
    #expect(try fill("protocol=https", "host=sso.example") == ["", ""])
  }

  @Test("names and passwords beyond ASCII come back byte for byte")
  func beyondASCII() throws {
    try approve("protocol=https", "host=example.com", "username=änn", "password=pässwörd €")
    #expect(try fill("protocol=https", "host=example.com") == ["änn", "pässwörd €"])
  }

  @Test("an operation that is not known is ignored, without a word")
  func unknownOperation() throws {
    let result = try sandbox.run("git-credential-vaultctl", "polish", input: "protocol=https\n\n")
    #expect(result.status == 0)
    #expect(result.output == "")
    #expect(result.errors == "")
  }
}
