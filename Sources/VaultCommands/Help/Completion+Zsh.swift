extension Completion {
  static var zsh: String {
    var cases = ""
    for command in CommandTable.commands {
      cases += "    \(names(command, "|")))\n      _arguments \\\n"
      for option in command.options { cases += zshOption(option) }
      let words = operandWords(command)
      let choice = "(\(words.joined(separator: " ")))"
      let action = command.operands.isFile ? "_files" : choice
      var subject = command.operands.subjects.first.map { "{_vaultctl_names \($0.rawValue)}" }
      if let names = subject, !command.operands.fileWords.isEmpty {
        let words = command.operands.fileWords.joined(separator: "|")
        subject =
          "{ if [[ $words[2] == (\(words)) ]]; then _files; else \(names.dropFirst().dropLast()); fi }"
      }
      if subject == nil || !words.isEmpty {
        cases += "        '1:operand:\(words.isEmpty ? action : choice)' \\\n"
      }
      cases += "        '*:operand:\(subject ?? action)'\n      ;;\n"
    }
    let names = CommandTable.commands.map(\.name)
    let globals = OptionGroup.beforeCommand.options.map(zshOption).joined()
    return """
      #compdef vaultctl
      _vaultctl_names() {
        local -a found=("${(@f)$(command vaultctl complete $place -- $1 "$PREFIX" 2> /dev/null)}")
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
        local -a commands=(\(names.joined(separator: " "))) place=()
        local curcontext=$curcontext context state state_descr line index
        local -A opt_args
        # The vault and the key file that the line names.
        for (( index = 2; index < CURRENT; index++ )); do
          case $words[index] in
            --) break ;;
            --vault|--key-file)
              (( index + 1 == CURRENT )) ||
                place+=($words[index] "${${(Q)words[index + 1]}/#\\~\\//$HOME/}") ;;
            --vault=*|--key-file=*) place+=("${(Q)words[index]}") ;;
          esac
        done
        _arguments -C -A '-*' \\
      \(globals)        '1:command:->command' '*::operand:->operand' && return
        if [[ $state == command ]]; then
          # Without a line for each: all of them fit a screen.
          compadd -a commands
          return
        fi
        [[ $state == operand ]] || return 1
        case $words[1] in
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
      case .words(_, let words): ":\(option.placeholder ?? ""):(\(words.joined(separator: " ")))"
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
}
