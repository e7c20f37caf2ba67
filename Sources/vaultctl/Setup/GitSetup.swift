import VaultModel

/// vaultctl among Git's credential helpers, for all repositories of the user.
struct GitSetup: Setup {
  private static let name = "credential.helper"
  private static let value = "vaultctl"
  /// The program that Git runs for the helper `vaultctl`.
  static let helper = "git-credential-vaultctl"

  private var setting: String { "Git's \(Self.name) \(Self.value)" }

  func text() -> String {
    "# Git then runs \(Self.helper), which has to be on the PATH.\n"
      + "git config --global --add \(Self.name) \(Self.value)\n"
  }

  func isApplied() throws(VaultError) -> Bool { try helpers().contains(Self.value) }

  func apply() throws(VaultError) -> [String] {
    guard try !isApplied() else { return [] }
    try run(["--add", Self.name, Self.value], accepting: [0])
    return [setting]
  }

  func undo() throws(VaultError) -> [String] {
    guard try isApplied() else { return [] }
    try run(["--unset-all", Self.name, "^\(Self.value)$"], accepting: [0])
    return [setting]
  }

  func notes(afterApplying applies: Bool) throws(VaultError) -> [String] {
    guard applies else { return [] }
    var notes: [String] = []
    if InstalledProgram.path(of: Self.helper) == nil {
      notes.append("\(Self.helper) is not on the PATH, and Git does not find it")
    }
    if try helpers().prefix(while: { $0 != Self.value }).contains(where: { !$0.isEmpty }) {
      notes.append("Git asks other helpers first: git config --global --get-all \(Self.name)")
    }
    return notes
  }

  /// Returns the helpers of the user's configuration in order; an empty one drops those before it.
  private func helpers() throws(VaultError) -> [String] {
    // Status 1: there is none.
    let output = try run(["--get-all", Self.name], accepting: [0, 1])
    let lines = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    let last = lines.lastIndex(of: "").map { $0 + 1 } ?? lines.startIndex
    return lines[last...].map(String.init)
  }

  @discardableResult
  private func run(
    _ words: [String], accepting statuses: [Int32]
  ) throws(VaultError) -> String {
    let (status, output) = try InstalledProgram.run("git", ["config", "--global"] + words)
    guard statuses.contains(status) else {
      throw VaultError(.configuration, "git config --global failed with status \(status)")
    }
    return output
  }
}
