import TestTraits
import Testing
import VaultModel

@testable import VaultCommands

@Suite("CommandTable", .waiting)
struct CommandTableTests {
  @Test("the commands are those of the contract")
  func commands() {
    #expect(
      CommandTable.commands.map(\.name) == [
        "init", "add", "find", "pick", "list", "search", "explain", "show", "modify", "edit",
        "rm", "trash", "history", "revert", "pin", "log", "default", "policy", "purge", "unlock",
        "lock", "status", "slot", "key",
        "passwd", "rekey", "info", "verify", "export", "backup", "restore", "merge",
        "compact", "migrate", "salvage", "doctor", "search-list", "config", "import",
        "exec", "inject", "copy", "totp", "generate", "identity", "trust", "fleet", "setup",
        "git-credential",
        "docker-credential", "askpass", "help", "completion", "version",
      ])
  }

  @Test("a command's word is its name in the table", arguments: CommandName.allCases)
  func words(_ name: CommandName) {
    #expect(name.command.id == name)
    #expect(CommandTable.command(named: name.rawValue)?.id == name)
    #expect(name.command.aliases.allSatisfy { CommandTable.command(named: $0)?.id == name })
  }

  @Test("a command's example is one that it takes", arguments: CommandName.allCases)
  func examples(_ name: CommandName) throws {
    let words = name.command.example.split(separator: " ").map(String.init)
    guard words[0] == "vaultctl" else { return }
    let (command, arguments) = try ArgumentParser.parse(words)
    #expect(command.id == name || name == .dockerCredential)
    #expect(command.operands.count.contains(arguments.operands.count))
  }

  @Test("no command has two options of one name or letter", arguments: CommandTable.commands)
  func unique(_ command: Command) {
    let names = command.options.map(\.name)
    let letters = command.options.compactMap(\.letter)
    #expect(Set(names).count == names.count)
    #expect(Set(letters).count == letters.count)
  }

  @Test("an option has one letter wherever it is, and takes a value everywhere or nowhere")
  func consistent() {
    var seen: [OptionName: Option] = [:]
    for option in CommandTable.commands.flatMap(\.options) {
      if let other = seen[option.name] {
        #expect(option.letter == other.letter)
        #expect(option.takesValue == other.takesValue)
      }
      seen[option.name] = option
    }
  }

  @Test("every option belongs to a command")
  func used() {
    let used = Set(CommandTable.commands.flatMap(\.options).map(\.name))
    #expect(Set(OptionName.allCases).subtracting(used).isEmpty)
  }

  @Test("the letters are those of the keychain's tool")
  func letters() throws {
    let find = try #require(CommandTable.command(named: "find"))
    let letters = Dictionary(
      uniqueKeysWithValues: find.options.compactMap { option in
        option.letter.map { ($0, option.name) }
      })
    #expect(
      letters == [
        "s": .attribute(.server), "P": .attribute(.port), "r": .attribute(.protocol),
        "d": .attribute(.realm), "a": .attribute(.account), "p": .attribute(.path),
        "t": .attribute(.authenticationMethod), "l": .attribute(.label),
        "j": .attribute(.comment), "D": .attribute(.kind), "c": .attribute(.creator),
        "C": .attribute(.type), "w": .general(.passwordOnly), "g": .general(.showPassword),
        "q": .general(.quiet), "h": .general(.help),
      ])
  }

  @Test("no option takes a secret", arguments: CommandTable.commands)
  func secrets(_ command: Command) {
    for option in command.options where option.letter == "w" || option.letter == "g" {
      #expect(!option.takesValue)
    }
  }

  @Test("help names every option, and has one example", arguments: CommandTable.commands)
  func help(_ command: Command) {
    #expect(!command.details.contains { $0.hasPrefix("vaultctl \(command.name) ") })
    let page = HelpText.page(command) + HelpText.options
    #expect(command.options.allSatisfy { page.contains("--\($0.name.text)") })
    #expect(page.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(HelpText.overview.contains("  \(command.name) "))
  }

  @Test("an action of fleet takes the options under whose heading its help names it, and no others")
  func fleetOptions() throws {
    let fleet = try #require(CommandTable.command(named: "fleet"))
    let groups = fleet.groups.filter { $0.heading != OptionGroup.common.heading }
    #expect(Set(groups.flatMap(\.options).map(\.name)).count == groups.flatMap(\.options).count)
    for action in fleet.operands.words {
      for group in groups {
        let words = group.heading.split { " ,".contains($0) }.map(String.init)
        for option in group.options {
          let value = option.takesValue ? ["1"] : []
          let line = ["vaultctl", "fleet", action, "--\(option.name.text)"] + value
          let arguments = try ArgumentParser.parse(line).1
          let isTaken =
            Result { () throws(VaultError) in
              try FleetCommand.check(arguments, isFor: action)
            }.isSuccess
          #expect(isTaken == words.contains(action), "\(line)")
        }
      }
    }
  }

  @Test("the manual page has every option and every exit status")
  func manual() {
    let page = ManualPage.text
    for option in CommandTable.commands.flatMap(\.options) {
      #expect(page.contains("--\(option.name.text)".replacing("-", with: "\\-")))
    }
    for status in ExitCode.allCases { #expect(page.contains(".B \(status.rawValue)\n")) }
    for section in ["EXAMPLES", "EXIT STATUS", "FILES", "ENVIRONMENT", "SEE ALSO"] {
      #expect(page.contains(".SH \(section)\n"))
    }
    let others = CommandName.allCases.compactMap(\.helper) + ["vaultctl-secret-service"]
    for other in others { #expect(page.contains(other.replacing("-", with: "\\-") + "(1)")) }
  }

  @Test("each helper has a manual page with its options, and no other command has one")
  func helperPages() throws {
    for name in CommandName.allCases {
      guard let program = name.helper else {
        #expect(HelperPage.text(for: name) == nil)
        continue
      }
      let page = try #require(HelperPage.text(for: name))
      #expect(page.hasPrefix(".TH \(program.uppercased().replacing("-", with: "\\-")) 1 "))
      for option in name.command.options {
        #expect(page.contains("--\(option.name.text)".replacing("-", with: "\\-")))
      }
      for section in ["EXAMPLES", "EXIT STATUS", "FILES", "ENVIRONMENT", "SEE ALSO"] {
        #expect(page.contains(".SH \(section)\n"))
      }
    }
  }

  @Test("completions have every command and option", arguments: Completion.shells)
  func completion(_ shell: String) throws {
    let script = try #require(Completion.script(for: shell))
    for command in CommandTable.commands {
      #expect(script.contains(command.name))
      #expect(command.options.allSatisfy { script.contains($0.name.text) })
    }
  }
}

extension Result {
  fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
