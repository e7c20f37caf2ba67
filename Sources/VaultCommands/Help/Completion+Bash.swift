extension Completion {
  static var bash: String {
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
    let globals = OptionGroup.beforeCommand.options
    let names = CommandTable.commands.map(\.name)
    let valued = globals.filter(\.takesValue).map { "--\($0.name.text)" }.joined(separator: "|")
    return """
      # The vault and the key file that the line names.
      _vaultctl_place=()
      _vaultctl_names() {
        # The shell splits a word at @, : and =, and replaces only its last part.
        local name start=${2%"$3"}
        [[ $3 == [=:@] ]] && start=$2
        while IFS= read -r name; do
          COMPREPLY+=("${name#"$start"}")
        done < <(command vaultctl complete "${_vaultctl_place[@]}" -- "$1" "$2" 2> /dev/null)
      }
      _vaultctl() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
        local command='' words values='' kind='' subject='' index word value
        local -a typed=("${COMP_WORDS[@]:0:COMP_CWORD}")
        local line=${COMP_LINE:0:${COMP_POINT:-0}}
        local whole=${line##*[[:blank:]]}
        if [[ -n $line && $whole == *"$current" ]]; then
          line=${line%"$whole"}
          line=${line%"${line##*[![:blank:]]}"}
          previous=${line##*[[:blank:]]}
          read -ra typed <<< "$line"
        else
          whole=$current
        fi
        _vaultctl_place=()
        for ((index = 1; index < ${#typed[@]}; index++)); do
          word=${typed[index]} value=${typed[index + 1]-}
          case $word in
            --) break ;;
            --vault | --key-file)
              [[ -n $value ]] && _vaultctl_place+=("$word" "${value/#'~/'/"$HOME/"}")
              ((index++)) ;;
            --vault=* | --key-file=*) _vaultctl_place+=("$word") ;;
            \(valued)) [[ -z $command ]] && ((index++)) ;;
            -*) ;;
            *) [[ -z $command ]] && command=$word ;;
          esac
        done
        if [[ $whole == --*=* ]]; then
          previous=${whole%%=*}
          whole=${whole#*=}
          [[ $current == = ]] && current=''
        fi
        case $command in
          '')
            words='\(names.joined(separator: " "))'
            [[ $current == -* ]] && words='\(optionWords(globals).joined(separator: " "))'
      \(valueCases(globals, indent: "      "))      ;;
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
    var text = valueCases(command.options, indent: indent)
    // A first operand that is one of a few words comes before the file.
    let operands = command.operands
    guard operands.isFile || !operands.fileWords.isEmpty else { return text }
    let words = operands.isFile ? operands.words : operands.fileWords
    text += "\(indent)case $previous in\n"
    text += "\(indent)  \(words.isEmpty ? names(command, "|") : words.joined(separator: "|")))"
    return text + " kind=file ;;\n\(indent)esac\n"
  }

  private static func valueCases(_ options: [Option], indent: String) -> String {
    var text = "\(indent)case $previous in\n"
    for option in options {
      let spellings = [option.letter.map { "-\($0)" }, "--\(option.name.text)"]
        .compactMap { $0 }.joined(separator: "|")
      guard let kind = bashKind(option.value) else { continue }
      text += "\(indent)  \(spellings)) \(kind) ;;\n"
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
}
