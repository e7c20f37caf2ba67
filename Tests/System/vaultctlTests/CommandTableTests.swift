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
        "rm", "move", "trash", "history", "revert", "pin", "log", "default", "policy", "purge",
        "unlock",
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
    let help = HelpText()
    let page = help.page(command) + help.options
    #expect(command.options.allSatisfy { page.contains("--\($0.name.text)") })
    #expect(page.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(help.overview.contains("  \(command.name) "))
  }

  @Test("on a narrow terminal, help is wrapped to it", arguments: [32, 40, 60])
  func narrowHelp(_ columns: Int) throws {
    let help = HelpText(columns: columns)
    let lines = help.overview.split(separator: "\n").filter { !$0.hasPrefix("usage:") }
    #expect(lines.allSatisfy { $0.count <= columns }, "\(lines)")
    #expect(HelpText(columns: 300).overview == HelpText().overview)
    let pick = try #require(CommandTable.command(named: "pick"))
    for line in help.page(pick).split(separator: "\n") where !line.hasPrefix(" ") {
      #expect(line.count <= columns || line.hasPrefix("usage:"))
    }
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

  @Test("every command that help shows belongs to one topic")
  func topics() {
    let names = CommandTopic.all.flatMap(\.names)
    #expect(Set(names).count == names.count)
    #expect(Set(names) == Set(CommandTable.commands.map(\.id)))
    for topic in CommandTopic.all { #expect(HelpText().overview.contains("\n\(topic.heading):\n")) }
  }

  @Test("vaultctl(1) lists every command's page, and has every common option and exit status")
  func manual() {
    let page = ManualPage.text
    for command in CommandTable.commands {
      #expect(page.contains("\n.B \(ManualPage.reference(command))\n"))
    }
    for option in OptionGroup.common.options { #expect(page.contains(ManualPage.flags(option))) }
    for status in ExitCode.allCases { #expect(page.contains(".B \(status.rawValue)\n")) }
    for section in ["COMMANDS", "OPTIONS", "EXIT STATUS", "FILES", "ENVIRONMENT", "SEE ALSO"] {
      #expect(page.contains(".SH \(section)\n"))
    }
    #expect(page.contains("vaultctl\\-secret\\-service(1)"))
  }

  @Test(
    "each command has a manual page of its own with its options, a helper under its program's name",
    arguments: CommandTable.commands)
  func pages(_ command: Command) {
    let page = CommandPage.text(for: command)
    let name = ManualPage.reference(command).dropLast("(1)".count)
    #expect(page.hasPrefix(".TH \(name.uppercased()) 1 "))
    #expect(page.contains("\n.SH NAME\n\(name) \\- "))
    for group in command.groups where group.heading != OptionGroup.common.heading {
      for option in group.options { #expect(page.contains("\n\(ManualPage.flags(option))\n")) }
    }
    for section in ["DESCRIPTION", "OPTIONS", "EXIT STATUS", "EXAMPLES", "SEE ALSO"] {
      #expect(page.contains(".SH \(section)\n"))
    }
    #expect(page.contains("vaultctl(1)"))
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
