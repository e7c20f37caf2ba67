import VaultTerminal
import CredentialVault
import SecureMemory
import VaultModel
import VaultStore

/// vaultctl among Git's credential helpers, for all repositories of the user.
struct GitSetup: Setup {
  private static let name = "credential.helper"
  private static let value = "vaultctl"
  /// The program that Git runs for the helper `vaultctl`.
  static let helper = "git-credential-vaultctl"
  private static let section = "[credential]\n"
  /// The comment makes the line ours: one without it was typed by the user.
  private static let line = "\thelper = vaultctl # vaultctl setup git --undo removes this line\n"

  private var setting: String { "Git's \(Self.name) \(Self.value)" }

  func text() -> String {
    "# Git then runs \(Self.helper), which has to be on the PATH.\n"
      + "git config --global --add \(Self.name) \(Self.value)\n"
  }

  func isApplied() throws(VaultError) -> Bool { try helpers().contains(Self.value) }

  func apply() throws(VaultError) -> [String] {
    guard try !isApplied() else { return [] }
    let file = try Self.file()
    let text = try file.read() ?? Secret("")
    let endsLine = text.count == 0 || text.byte(at: text.count - 1) == UInt8(ascii: "\n")
    try file.replace(with: [text, Secret((endsLine ? "" : "\n") + Self.section + Self.line)])
    return [setting]
  }

  func undo() throws(VaultError) -> [String] {
    let file = try Self.file()
    guard let text = try file.read(), let line = text.index(of: Self.line) else { return [] }
    let end = line + Self.line.utf8.count
    // The section's name is removed as well, unless it has other lines.
    let name = line - Self.section.utf8.count
    let isAlone =
      (end == text.count || text.byte(at: end) == UInt8(ascii: "["))
      && name >= 0 && text.index(of: Self.section, from: name) == name
    let start = isAlone ? name : line
    guard start > 0 || end < text.count else {
      try file.remove(leaving: "")
      return [setting]
    }
    try file.replace(with: [text.slice(0..<start), text.slice(end..<text.count)])
    return [setting]
  }

  func notes(afterApplying applies: Bool) throws(VaultError) -> [String] {
    guard applies else {
      guard try isApplied() else { return [] }
      return [
        "\(setting) is left, which setup did not add: git config --global --unset-all \(Self.name)"
          + " '^\(Self.value)$'"
      ]
    }
    var notes: [String] = []
    if InstalledProgram.path(of: Self.helper) == nil {
      notes.append("\(Self.helper) is not on the PATH, and Git does not find it")
    }
    if try helpers().prefix(while: { $0 != Self.value }).contains(where: { !$0.isEmpty }) {
      notes.append("Git asks other helpers first: git config --global --get-all \(Self.name)")
    }
    return notes
  }

  /// Returns the file that `git config --global` writes.
  ///
  /// Source: git-config(1), FILES.
  private static func file() throws(VaultError) -> SetupFile {
    if let path = Environment.value("GIT_CONFIG_GLOBAL") {
      return SetupFile(path: try VaultLocation.absolute(path))
    }
    let file = SetupFile(path: try UserPlaces.folder(nil, below: ".gitconfig"))
    let other = SetupFile(
      path: try UserPlaces.folder("XDG_CONFIG_HOME", below: ".config") + "/git/config")
    guard try file.read() == nil, try other.read() != nil else { return file }
    return other
  }

  /// Returns the helpers of the user's configuration in order; an empty one drops those before it.
  private func helpers() throws(VaultError) -> [String] {
    let (status, output) = try ChildProcess.run(
      ["git", "config", "--global", "--get-all", Self.name])
    // Status 1: there is none.
    guard status <= 1 else {
      throw VaultError(.configuration, "git config --global failed with status \(status)")
    }
    let lines = output.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    let last = lines.lastIndex(of: "").map { $0 + 1 } ?? lines.startIndex
    return lines[last...].map(String.init)
  }
}
