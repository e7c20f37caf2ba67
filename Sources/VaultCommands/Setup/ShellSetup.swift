import CredentialVault
import SecureMemory
import VaultModel

/// The completions, and the variables that are set now, in the startup file of the user's shell.
struct ShellSetup: Setup {
  private static let start = "# >>> vaultctl setup shell >>>\n"
  private static let end = "# <<< vaultctl setup shell <<<\n"

  private static let variables = ["VAULTCTL_VAULT", "VAULTCTL_KEY_FILE"]

  private let file: SetupFile
  private let block: String

  init() throws(VaultError) {
    let shell = Environment.value("SHELL")?.split(separator: "/").last.map(String.init) ?? "bash"
    var lines = ""
    switch shell {
    case "bash":
      file = SetupFile(path: try UserPlaces.folder(nil, below: ".bashrc"))
      lines = "command -v vaultctl >/dev/null && source <(vaultctl completion bash)\n"
    case "zsh":
      file = SetupFile(path: try UserPlaces.folder("ZDOTDIR", below: "") + "/.zshrc")
      lines = "command -v vaultctl >/dev/null && source <(vaultctl completion zsh)\n"
    case "fish":
      let folder = try UserPlaces.folder("XDG_CONFIG_HOME", below: ".config")
      file = SetupFile(path: "\(folder)/fish/config.fish")
      lines = "command -q vaultctl; and vaultctl completion fish | source\n"
    default:
      throw VaultError(.unsupported, "there are completions for bash, zsh and fish only")
    }
    for variable in Self.variables {
      guard let path = Environment.value(variable) else { continue }
      let word = Hint.quoted(try VaultLocation.absolute(path))
      lines += shell == "fish" ? "set -gx \(variable) \(word)\n" : "export \(variable)=\(word)\n"
    }
    block = Self.start + lines + Self.end
  }

  func text() -> String { "# \(file.path)\n\(block)" }

  func isApplied() throws(VaultError) -> Bool {
    try file.read()?.index(of: block) != nil
  }

  /// Returns whether lines that setup made are there, with these variables or others.
  ///
  /// - Throws: ``VaultError/Code/conflict`` if somebody changed them.
  func isPresent() throws(VaultError) -> Bool {
    try file.read().map { (text) throws(VaultError) in try range(in: text) != nil } ?? false
  }

  func apply() throws(VaultError) -> [String] {
    let text = try file.read() ?? Secret("")
    guard text.index(of: block) == nil else { return [] }
    // One with other variables is replaced.
    if let old = try range(in: text) {
      try file.replace(with: [
        text.slice(0..<old.lowerBound), Secret(block), text.slice(old.upperBound..<text.count),
      ])
      return [file.path]
    }
    let endsLine = text.count == 0 || text.byte(at: text.count - 1) == UInt8(ascii: "\n")
    guard endsLine else {
      throw VaultError(.cannotCreate, "\(file.path) does not end with a line feed")
    }
    try file.replace(with: [text, Secret(block)])
    return [file.path]
  }

  func undo() throws(VaultError) -> [String] {
    guard let text = try file.read(), let old = try range(in: text) else { return [] }
    guard old.count < text.count else {
      try file.remove(leaving: "")
      return [file.path]
    }
    try file.replace(with: [
      text.slice(0..<old.lowerBound), text.slice(old.upperBound..<text.count),
    ])
    return [file.path]
  }

  func notes(afterApplying applies: Bool) -> [String] {
    applies ? ["a new shell reads it"] : []
  }

  /// Returns the place of our lines; nil if there are none.
  ///
  /// - Throws: ``VaultError/Code/conflict`` if their end is missing, or somebody changed them.
  private func range(in text: Secret) throws(VaultError) -> Range<Int>? {
    guard let start = text.index(of: Self.start) else { return nil }
    guard let end = text.index(of: Self.end, from: start) else {
      throw VaultError(.conflict, "\(file.path): the end of vaultctl's lines is missing")
    }
    // Lines that somebody added are not ours to remove or replace.
    let known =
      ["command -v vaultctl", "command -q vaultctl"]
      + ["export ", "set -gx "].flatMap { word in Self.variables.map { word + $0 } }
    var line = start + Self.start.utf8.count
    while line < end {
      guard known.contains(where: { text.index(of: $0, from: line) == line }) else {
        throw VaultError(.conflict, "\(file.path): vaultctl's lines were changed")
      }
      line = (text.index(of: "\n", from: line) ?? end) + 1
    }
    return start..<end + Self.end.utf8.count
  }
}
