import VaultModel

extension Completion {
  static var fish: String {
    let globals = OptionGroup.beforeCommand.options
    let valued = globals.filter(\.takesValue).map { "--\($0.name.text)" }.joined(separator: " ")
    var text = """
      function __vaultctl_command
        set -l isValue no
        for word in (commandline -opc)[2..]
          switch $isValue$word
            case 'yes*'; set isValue no
            case no(string split ' ' -- '\(valued)'); set isValue yes
            case 'no-*'
            case '*'
              echo $word
              return
          end
        end
        return 1
      end
      function __vaultctl_is
        set -l command (__vaultctl_command)
        and contains -- $command $argv
      end
      # The vault and the key file that the line names.
      function __vaultctl_place
        set -l words (commandline -opc)
        for index in (seq 2 (count $words))
          switch $words[$index]
            case --
              break
            case --vault --key-file
              set -l next (math $index + 1)
              set -q words[$next]
              and printf '%s\\n' $words[$index] (string replace -r '^~/' "$HOME/" -- $words[$next])
            case '--vault=*' '--key-file=*'
              echo $words[$index]
          end
        end
      end
      function __vaultctl_names
        set -l start (commandline -ct | string replace -r '^--[a-z-]+=' '')
        command vaultctl complete (__vaultctl_place) -- $argv "$start" 2> /dev/null
      end
      function __vaultctl_bindings
        set -l parts (commandline -ct | string replace -r '^--[a-z]+=' '' | string split -m 1 =)
        set -q parts[2]
        and command vaultctl complete (__vaultctl_place) -- items $parts[2] 2> /dev/null | string replace -r '^' "$parts[1]="
      end
      function __vaultctl_list
        set -l first (commandline -ct | string replace -r '^--[a-z]+=' '' | string replace -r '[^,]*$' '')
        printf '%s\\n' "$first"$argv
      end
      complete -c vaultctl -f

      """
    let first = "complete -c vaultctl -n 'not __vaultctl_command > /dev/null'"
    for option in globals { text += first + fishOption(option) }
    for command in CommandTable.commands {
      let name = names(command, " ")
      text += "\(first) -a \(command.name) -d '\(fishQuoted(command.summary))'\n"
      let start = "complete -c vaultctl -n '__vaultctl_is \(name)'"
      let words = operandWords(command)
      if let subject = command.operands.subjects.first {
        text += "\(start) -a '(__vaultctl_names \(subject.rawValue))'\n"
      }
      if !words.isEmpty { text += "\(start) -a '\(words.joined(separator: " "))'\n" }
      if command.operands.isFile { text += "\(start) -F\n" }
      if !command.operands.fileWords.isEmpty {
        let words = command.operands.fileWords.joined(separator: " ")
        text += "\(start.dropLast()); and __fish_seen_subcommand_from \(words)' -F\n"
      }
      for option in command.options { text += start + fishOption(option) }
    }
    return text
  }

  /// Returns the rest of a line for an option, from its spellings on.
  private static func fishOption(_ option: Option) -> String {
    let value =
      switch option.value {
      case .none, .optional: ""
      case .text: " -x"
      case .file, .folder: " -r -F"
      case .vault: " -r -F -a '(__vaultctl_names vaults)'"
      case .name(_, let subject): " -x -a '(__vaultctl_names \(subject.rawValue))'"
      case .binding: " -x -a '(__vaultctl_bindings)'"
      case .list(_, let words): " -x -a '(__vaultctl_list \(words.joined(separator: " ")))'"
      case .words(_, let words): " -x -a '\(words.joined(separator: " "))'"
      }
    let letter = option.letter.map { " -s \($0)" } ?? ""
    let summary = fishQuoted(option.summary)
    return "\(letter) -l \(option.name.text)\(value) -d '\(summary)'\n"
  }

  private static func fishQuoted(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
  }
}
