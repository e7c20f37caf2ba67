import CredentialVault
import Glibc
import VaultModel

/// `vaultctl search-list`: shows and changes the vaults in which commands look, in order.
enum SearchListCommand {
  static let command = Command(
    id: .searchList,
    operands: Command.Operands(
      synopsis: "[show|set|add|remove|default [PATH...]]", count: 0...65,
      words: ["show", "set", "add", "remove", "default"], subjects: [.vaults]),
    summary: "show or change the list of vaults to look in",
    example: "vaultctl search-list add --read-only /srv/team/team.vault",
    details: [
      "find, list, show, history and Git's helper look in every vault of the list; the first that"
        + " has a match answers. add writes to the default vault: the one that default names, else"
        + " the first that is not read-only. modify, revert and rm change an item where it was"
        + " found. Other commands use the default vault.",
      "set replaces the list, add puts vaults at its end, remove takes them out. No vault is"
        + " opened. A vault that was listed before keeps its marks. The list is in the"
        + " configuration file; --vault and VAULTCTL_VAULT override it.",
      "With --read-only, nothing is ever written to the named vaults or beside them. They may"
        + " belong to root or the user that --owner names, and be readable by a group; nobody but"
        + " the owner may be able to write them.",
    ],
    groups: [
      OptionGroup(
        heading: "The vaults that set or add name",
        options: [
          Option(.readOnly, nil, .none, "only read them, and accept vaults of root"),
          Option(.owner, nil, .text("USER"), "accept vaults of this user too (with --read-only)"),
        ]),
      .plain,
    ], hints: { _ in [.duplicateItem: "vaultctl search-list show"] }, run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    var paths = invocation.arguments
    let action = paths.removeFirstOperand() ?? command.operands.actionAlone
    let vaults = try named(paths)
    let isMarked = paths.has(.readOnly) || paths.has(.owner)
    guard action == "set" || action == "add" || !isMarked else {
      throw VaultError(.invalidArgument, "--read-only and --owner are for set and add")
    }
    switch action {
    case "show":
      guard vaults.isEmpty else { throw VaultError(.invalidArgument, "show takes no path") }
      try show(invocation)
    case "set":
      try change(invocation) { (list) throws(VaultError) in
        let old = list.entries
        try list.setEntries(vaults.map { new in kept(new, in: old, unless: isMarked) })
      }
    case "add":
      try requireNamed(vaults)
      try change(invocation) { (list) throws(VaultError) in
        // The list of somebody who has none begins with the vault that is used now.
        let old = list.entries.isEmpty ? [try present()] : list.entries
        let new = vaults.filter { vault in !old.contains { $0.path == vault.path } }
        guard new.count == vaults.count else {
          throw VaultError(.duplicateItem, "a vault is in the list already")
        }
        try list.setEntries(old + new)
      }
    case "remove":
      try requireNamed(vaults)
      try change(invocation) { (list) throws(VaultError) in
        let rest = list.entries.filter { entry in !vaults.contains { $0.path == entry.path } }
        guard rest.count + vaults.count == list.entries.count else {
          throw VaultError(.invalidArgument, "a vault is not in the list")
        }
        try list.setEntries(rest)
      }
    case "default":
      guard vaults.count == 1 else { throw VaultError(.invalidArgument, "default needs one path") }
      try change(invocation) { (list) throws(VaultError) in try list.setDefault(vaults[0].path) }
    default:
      throw command.needsChoice
    }
    return .success
  }

  /// Returns the vaults that the operands name, with the marks that the options set.
  private static func named(_ arguments: Arguments) throws(VaultError) -> [ListedVault] {
    let owner = arguments.text(.owner)
    guard owner == nil || arguments.has(.readOnly) else {
      throw VaultError(.invalidArgument, "--owner is for --read-only vaults")
    }
    return try arguments.operands.map { (path) throws(VaultError) in
      ListedVault(
        try VaultLocation.absolute(path), isReadOnly: arguments.has(.readOnly), owner: owner)
    }
  }

  /// Returns the vault that is used without a list.
  static func present() throws(VaultError) -> ListedVault {
    var vault = try VaultLocation.vault(at: nil)
    vault.path = try VaultLocation.absolute(vault.path)
    return vault
  }

  private static func kept(
    _ new: ListedVault, in old: [ListedVault], unless isMarked: Bool
  ) -> ListedVault {
    isMarked ? new : old.first { $0.path == new.path } ?? new
  }

  private static func requireNamed(_ vaults: [ListedVault]) throws(VaultError) {
    guard !vaults.isEmpty else { throw VaultError(.invalidArgument, "no vault was named") }
  }

  // MARK: Output

  private static func change(
    _ invocation: Invocation, _ body: (inout VaultConfiguration) throws(VaultError) -> Void
  ) throws(VaultError) {
    let configuration = try VaultConfiguration.change(body)
    guard invocation.isJSON || !invocation.isQuiet else { return }
    try write(configuration.entries, configuration.defaultVault, invocation)
    guard !invocation.isQuiet else { return }
    // It may be on a disk that is not there now, so this is not an error.
    for entry in configuration.entries where !entry.isThere {
      try invocation.warn("there is no vault at \(entry.path): until there is one, lookups fail")
    }
  }

  private static func show(_ invocation: Invocation) throws(VaultError) {
    let configuration = try VaultConfiguration.read()
    try write(configuration?.entries ?? [], configuration?.defaultVault, invocation)
  }

  private static func write(
    _ vaults: [ListedVault], _ standard: ListedVault?, _ invocation: Invocation
  ) throws(VaultError) {
    func isDefault(_ vault: ListedVault) -> Bool { !vault.isReadOnly && vault == standard }
    guard invocation.isJSON else {
      if vaults.isEmpty { try invocation.sayEmpty("the list is empty: the default vault is used") }
      for vault in vaults {
        let marks = [
          isDefault(vault) ? "default" : nil, vault.isReadOnly ? "read-only" : nil,
          vault.owner.map { "owner \($0)" },
        ].compactMap(\.self)
        let suffix = marks.isEmpty ? "" : "  (\(marks.joined(separator: ", ")))"
        try invocation.output.line(vault.path + suffix)
      }
      if Environment.value("VAULTCTL_VAULT") != nil, !invocation.isQuiet {
        try invocation.hint("VAULTCTL_VAULT is set, and overrides the list")
      }
      return
    }
    try invocation.output.document { (json) throws(VaultError) in
      try json.objects("vaults", vaults) { (vault, json) throws(VaultError) in
        try json.field("path", vault.path)
        try json.field("default", isDefault(vault))
        try json.field("read_only", vault.isReadOnly)
        if let owner = vault.owner { try json.field("owner", owner) }
      }
    }
  }
}

extension ListedVault {
  /// Whether there is a file at its path, as far as this user may know.
  var isThere: Bool {
    // The path is copied into a string that ends with NUL for the call.
    unsafe access(path, F_OK) == 0 || errno != ENOENT
  }
}
