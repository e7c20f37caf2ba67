/// Completion scripts, generated from the command table.
///
/// They ask `vaultctl complete` for the names in the vault, which opens it only with a key file.
enum Completion {
  static let shells = ["bash", "zsh", "fish"]

  static func script(for shell: String) -> String? {
    switch shell {
    case "bash": bash
    case "zsh": zsh
    case "fish": fish
    default: nil
    }
  }

  private static var bash: String {
    var cases = ""
    for command in CommandTable.commands {
      cases += "    \(names(command, "|")))\n      words='\(words(command))'\n"
      if let subject = command.operands.subjects.first {
        let isAfterWord =
          command.operands.words.isEmpty ? "" : "[[ $command != \"$previous\" ]] && "
        cases += "      \(isAfterWord)subject=\(subject.rawValue)\n"
      }
      cases += valueCases(command, indent: "      ")
      cases += "      ;;\n"
    }
    return """
      _vaultctl_names() {
        # The shell splits a word at @, : and =, and replaces only its last part.
        local name start=${2%"$3"}
        [[ $3 == [=:@] ]] && start=$2
        while IFS= read -r name; do
          COMPREPLY+=("${name#"$start"}")
        done < <(command vaultctl complete "$1" "$2" 2> /dev/null)
      }
      _vaultctl() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
        local command='' word words values='' kind='' subject=''
        for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
          case $word in -*) ;; *) command=$word; break ;; esac
        done
        local line=${COMP_LINE:0:${COMP_POINT:-0}}
        local whole=${line##*[[:blank:]]}
        if [[ -n $line && $whole == *"$current" ]]; then
          line=${line%"$whole"}
          line=${line%"${line##*[![:blank:]]}"}
          previous=${line##*[[:blank:]]}
        else
          whole=$current
        fi
        if [[ $whole == --*=* ]]; then
          previous=${whole%%=*}
          whole=${whole#*=}
          [[ $current == = ]] && current=''
        fi
        case $command in
          '') words='\(CommandTable.words.joined(separator: " "))' ;;
      \(cases)  esac
        COMPREPLY=()
        case $kind in
          file) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")) ;;
          vault)
            compopt -o filenames; COMPREPLY=($(compgen -f -- "$current"))
            _vaultctl_names vaults "$whole" "$current" ;;
          name) _vaultctl_names "$subject" "$whole" "$current" ;;
          binding) [[ $whole == *=* ]] && _vaultctl_names items "${whole#*=}" "$current" ;;
          list)
            local first=${current%"${current##*,}"}
            compopt -o nospace
            COMPREPLY=($(compgen -P "$first" -W "$values" -- "${current##*,}")) ;;
          words) COMPREPLY=($(compgen -W "$values" -- "$current")) ;;
          text) ;;
          *)
            COMPREPLY=($(compgen -W "$words" -- "$current"))
            if [[ -n $subject && $current != -* ]]; then
              _vaultctl_names "$subject" "$whole" "$current"
            fi ;;
        esac
      }
      complete -F _vaultctl vaultctl

      """
  }

  /// Returns the shell's `case` that sets `kind` from the option before the word.
  private static func valueCases(_ command: Command, indent: String) -> String {
    var text = "\(indent)case $previous in\n"
    for option in command.options {
      let spellings = [option.letter.map { "-\($0)" }, "--\(option.name.text)"]
        .compactMap { $0 }.joined(separator: "|")
      guard let kind = bashKind(option.value) else { continue }
      text += "\(indent)  \(spellings)) \(kind) ;;\n"
    }
    // A first operand that is one of a few words comes before the file.
    if command.operands.isFile {
      let words = command.operands.words
      text += "\(indent)  \(words.isEmpty ? names(command, "|") : words.joined(separator: "|")))"
      text += " kind=file ;;\n"
    }
    return text + "\(indent)esac\n"
  }

  private static func bashKind(_ value: Option.Value) -> String? {
    switch value {
    case .none, .optional: nil
    case .file, .folder: "kind=file"
    case .vault: "kind=vault"
    case .text: "kind=text"
    case .name(_, let subject): "kind=name subject=\(subject.rawValue)"
    case .binding: "kind=binding"
    case .list(_, let values): "kind=list values='\(values.joined(separator: " "))'"
    case .words(_, let values): "kind=words values='\(values.joined(separator: " "))'"
    }
  }

  /// Returns the words that can follow a command: its first operands and its long options.
  private static func words(_ command: Command) -> String {
    (operandWords(command) + command.options.map { "--\($0.name.text)" })
      .joined(separator: " ")
  }

  private static func operandWords(_ command: Command) -> [String] {
    command.id == .help ? CommandTable.words : command.operands.words
  }

  /// Returns the words that call a command, with a separator between them.
  private static func names(_ command: Command, _ separator: String) -> String {
    ([command.name] + command.id.aliases).joined(separator: separator)
  }

  private static var zsh: String {
    var cases = ""
    for command in CommandTable.commands {
      cases += "    \(names(command, "|")))\n      _arguments \\\n"
      for option in command.options { cases += zshOption(option) }
      let words = operandWords(command)
      let choice = "(\(words.joined(separator: " ")))"
      let action = command.operands.isFile ? "_files" : choice
      let subject = command.operands.subjects.first.map { "{_vaultctl_names \($0.rawValue)}" }
      if subject == nil || !words.isEmpty {
        cases += "        '1:operand:\(words.isEmpty ? action : choice)' \\\n"
      }
      cases += "        '*:operand:\(subject ?? action)'\n      ;;\n"
    }
    let names = CommandTable.commands.flatMap { command in
      ([command.name] + command.id.aliases).map { "'\($0):\(zshQuoted(command.summary))'" }
    }
    return """
      #compdef vaultctl
      _vaultctl_names() {
        local -a found=("${(@f)$(command vaultctl complete $1 "$PREFIX" 2> /dev/null)}")
        compadd -- ${found:#}
      }
      _vaultctl_bindings() {
        compset -P '*=' && _vaultctl_names items
      }
      _vaultctl_vaults() {
        _vaultctl_names vaults
        _files
      }
      _vaultctl() {
        local -a commands=(\(names.joined(separator: " ")))
        if (( CURRENT == 2 )); then
          _describe command commands
          return
        fi
        local command=$words[2]
        shift words
        (( CURRENT-- ))
        case $command in
      \(cases)  esac
      }
      # A file of fpath is loaded by the first completion, which it has to answer.
      if [[ $funcstack[1] == _vaultctl ]]; then
        _vaultctl "$@"
      else
        (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
        compdef _vaultctl vaultctl
      fi

      """
  }

  private static func zshOption(_ option: Option) -> String {
    let summary = zshQuoted(option.summary)
    let value =
      switch option.value {
      case .none, .optional: ""
      case .text(let placeholder): ":\(placeholder):"
      case .file: ":FILE:_files"
      case .folder: ":DIR:_files -/"
      case .vault: ":FILE:_vaultctl_vaults"
      case .name(let placeholder, let subject):
        ":\(placeholder):{_vaultctl_names \(subject.rawValue)}"
      case .binding(let placeholder): ":\(placeholder):_vaultctl_bindings"
      case .list(let placeholder, let words):
        ":\(placeholder):_values -s , \(placeholder) \(words.joined(separator: " "))"
      case .words(let placeholder, let words): ":\(placeholder):(\(words.joined(separator: " ")))"
      }
    return ([option.letter.map { "-\($0)" }, "--\(option.name.text)"].compactMap { $0 })
      .map { "        '\($0)[\(summary)]\(value)' \\\n" }.joined()
  }

  private static func zshQuoted(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "'": result += "'\\''"
      case "[", "]", ":": result += "\\\(character)"
      default: result.append(character)
      }
    }
    return result
  }

  private static var fish: String {
    var text = """
      function __vaultctl_names
        command vaultctl complete $argv (commandline -ct | string replace -r '^--[a-z-]+=' '') 2> /dev/null
      end
      function __vaultctl_bindings
        set -l parts (commandline -ct | string replace -r '^--[a-z]+=' '' | string split -m 1 =)
        set -q parts[2]
        and command vaultctl complete items $parts[2] 2> /dev/null | string replace -r '^' "$parts[1]="
      end
      function __vaultctl_list
        set -l first (commandline -ct | string replace -r '^--[a-z]+=' '' | string replace -r '[^,]*$' '')
        printf '%s\\n' "$first"$argv
      end
      complete -c vaultctl -f

      """
    for command in CommandTable.commands {
      let name = names(command, " ")
      text += "complete -c vaultctl -n __fish_use_subcommand -a '\(name)'"
      text += " -d '\(fishQuoted(command.summary))'\n"
      let start = "complete -c vaultctl -n '__fish_seen_subcommand_from \(name)'"
      let words = operandWords(command)
      if let subject = command.operands.subjects.first {
        text += "\(start) -a '(__vaultctl_names \(subject.rawValue))'\n"
      }
      if !words.isEmpty { text += "\(start) -a '\(words.joined(separator: " "))'\n" }
      if command.operands.isFile { text += "\(start) -F\n" }
      for option in command.options {
        text += start + (option.letter.map { " -s \($0)" } ?? "") + " -l \(option.name.text)"
        switch option.value {
        case .none, .optional: break
        case .text: text += " -x"
        case .file, .folder: text += " -r -F"
        case .vault: text += " -r -F -a '(__vaultctl_names vaults)'"
        case .name(_, let subject): text += " -x -a '(__vaultctl_names \(subject.rawValue))'"
        case .binding: text += " -x -a '(__vaultctl_bindings)'"
        case .list(_, let words):
          text += " -x -a '(__vaultctl_list \(words.joined(separator: " ")))'"
        case .words(_, let words): text += " -x -a '\(words.joined(separator: " "))'"
        }
        text += " -d '\(fishQuoted(option.summary))'\n"
      }
    }
    return text
  }

  private static func fishQuoted(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
  }
}
