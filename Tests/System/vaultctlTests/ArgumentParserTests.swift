import Dispatch
import Testing
import VaultModel
@testable import VaultCommands

@Suite("ArgumentParser")
struct ArgumentParserTests {
  private func parse(
    _ words: String...
  ) throws(VaultError) -> (command: Command, arguments: Arguments) {
    try ArgumentParser.parse(["vaultctl"] + words)
  }

  @Test("options are read in any order, before and behind the command and the operand")
  func order() throws {
    let parsed = try parse("--json", "find", "abcdef", "-s", "host", "--port=8443", "-qrhttps")
    #expect(parsed.command.name == "find")
    #expect(parsed.arguments.operands == ["abcdef"])
    #expect(parsed.arguments.text(Attribute.server) == "host")
    #expect(parsed.arguments.text(Attribute.port) == "8443")
    #expect(parsed.arguments.text(Attribute.protocol) == "https")
    #expect(parsed.arguments.has(.json) && parsed.arguments.has(.quiet))
  }

  @Test("command lines of many threads are read one at a time: getopt has one state for all")
  func threads() {
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for turn in 0..<500 {
        let words = ["-s", "host\(thread)-\(turn)", "--json"]
        let padding = Array(repeating: "-q", count: thread * 3)
        do {
          let parsed = try ArgumentParser.parse(["vaultctl", "find"] + padding + words)
          #expect(parsed.arguments.text(Attribute.server) == "host\(thread)-\(turn)")
        } catch {
          Issue.record("\(error)")
        }
      }
    }
  }

  @Test("an empty value is a value")
  func empty() throws {
    let parsed = try parse("find", "-a", "", "--realm=")
    #expect(parsed.arguments.text(Attribute.account) == "")
    #expect(parsed.arguments.text(Attribute.realm) == "")
    #expect(parsed.arguments.text(Attribute.path) == nil)
  }

  @Test("behind -- everything is an operand")
  func terminator() throws {
    let parsed = try parse("find", "--", "--json")
    #expect(parsed.arguments.operands == ["--json"])
    #expect(!parsed.arguments.has(.json))
  }

  @Test("the last of two values counts")
  func last() throws {
    #expect(try parse("find", "-s", "one", "-s", "two").arguments.text(Attribute.server) == "two")
  }

  @Test(
    "the name of a helper is its command",
    arguments: ["git-credential", "docker-credential"], ["", "/usr/bin/", "bin/"])
  func personality(_ command: String, _ folder: String) throws {
    let parsed = try ArgumentParser.parse(["\(folder)\(command)-vaultctl", "get"])
    #expect(parsed.command.name == command)
    #expect(parsed.arguments.operands == ["get"])
  }

  @Test("--help of a command is help for it, whatever else is there")
  func help() throws {
    let parsed = try parse("backup", "--help")
    #expect(parsed.command.name == "help")
    #expect(parsed.arguments.operands == ["backup"])
  }

  @Test("a first word that is like no command names items for find")
  func bareReference() throws {
    let parsed = try parse("ann@git.example.com", "-w")
    #expect(parsed.command.name == "find")
    #expect(parsed.arguments.operands == ["ann@git.example.com"])
  }

  static let refused: [[String]] = [
    [], ["find", "--hunter2"], ["find", "-w", "abcdef", "hunter2"],
    ["find", "--password-only=hunter2"], ["add", "-s", "h", "--password-stdin=hunter2"],
    ["list", "one", "hunter2"], ["backup"], ["backup", "one", "hunter2"], ["find", "-s"],
    ["--hunter2", "find"], ["setup"], ["init", "hunter2"], ["modify", "--hunter2=x"],
    ["find", "--p", "hunter2"], ["version", "--vault", "hunter2"],
  ]

  @Test("what the table does not have is refused, and not repeated", arguments: refused)
  func refusal(_ words: [String]) throws {
    let error = try #require(throws: VaultError.self) {
      try ArgumentParser.parse(["vaultctl"] + words)
    }
    #expect(error.code == .invalidArgument)
    #expect(!error.text.contains("hunter2"))
  }
}

/// Names as the tests' tables write them.
extension OptionName {
  static let account = Self.attribute(.account)
  static let auth = Self.attribute(.authenticationMethod)
  static let label = Self.attribute(.label)
  static let networkProtocol = Self.attribute(.protocol)
  static let path = Self.attribute(.path)
  static let port = Self.attribute(.port)
  static let server = Self.attribute(.server)

  static let afterAcceptance = Self.general(.afterAcceptance)
  static let host = Self.general(.host)
  static let id = Self.general(.id)
  static let lifetime = Self.general(.lifetime)
  static let loopback = Self.general(.loopback)
  static let max = Self.general(.max)
  static let name = Self.general(.name)
  static let note = Self.general(.note)
  static let proxy = Self.general(.proxy)
  static let refuse = Self.general(.refuse)
  static let secure = Self.general(.secure)
  static let url = Self.general(.url)
}

extension OptionName {
  /// Every option that there is.
  static var allCases: [OptionName] {
    let attributes = Attribute.all.filter { $0.option != nil }
    return GeneralOption.allCases.map { .general($0) } + attributes.map { .attribute($0) }
      + attributes.filter(\.isOfKey).map { .newValue($0) }
  }
}
