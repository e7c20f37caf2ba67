import CredentialVault
import VaultModel

/// `vaultctl default`: sets, clears or shows the default user of a protection space.
enum DefaultCommand {
  static let command = Command(
    id: .defaultUser,
    operands: Command.Operands(
      synopsis: "[set|clear|show [REF]]", count: 0...2, words: ["set", "clear", "show"],
      subjects: [.items]),
    summary: "set, clear or show the default user of a protection space",
    example: "vaultctl default set ann@git.example.com",
    details: [
      "set makes the account of the one matching item the default of its space: server, port,"
        + " protocol, realm and method. clear removes the default of the one matching space."
        + " show, and default alone, shows all, or those that match."
    ],
    groups: [.keySelectors, .common], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let (action, inner) = invocation.takingAction()
    let selection = try inner.selection(readsMetadata: false)
    switch action {
    case "set": try set(selection, inner)
    case "clear": try clear(selection, inner)
    case "show": try show(selection, inner)
    default: throw command.needsChoice
    }
    return .success
  }

  /// Returns the space of an item; nil for one without a server, which has none.
  static func space(of item: Item) throws(VaultError) -> ProtectionSpace? {
    guard item.key.itemClass == .internetPassword, !item.server.isUnset else { return nil }
    return try ProtectionSpace(
      host: item.server, port: item.port, protocol: item.protocol, realm: item.realm,
      authenticationMethod: item.authenticationMethod)
  }

  /// Returns whether the item's account is the default user of its space.
  static func isDefault(
    _ item: Item,
    _ defaultUser: (ProtectionSpace) throws(VaultError) -> String?
  ) throws(VaultError) -> Bool {
    guard let space = try space(of: item), let user = try defaultUser(space) else { return false }
    return user.utf8.elementsEqual(item.account.utf8)
  }

  private static func set(_ selection: Selection, _ invocation: Invocation) throws(VaultError) {
    guard !selection.isEmpty else {
      throw VaultError(.invalidArgument, "name the item to make the default")
    }
    let vault = try invocation.openVault()
    let item = try selection.suggesting(from: VaultList([vault])) { () throws(VaultError) in
      try selection.item { query throws(VaultError) in try vault.findAll(query) }
    }
    guard let space = try space(of: item) else {
      throw VaultError(.invalidArgument, "an item without a server has no protection space")
    }
    try vault.setDefaultUser(item.account, for: space).requireKept(in: vault)
    try write([(space, item.account)], "default", invocation)
  }

  private static func clear(_ selection: Selection, _ invocation: Invocation) throws(VaultError) {
    guard !selection.isEmpty else {
      throw VaultError(.invalidArgument, "name the space whose default to clear")
    }
    let vault = try invocation.openVault()
    let found = try defaults(selection, vault)
    guard let (space, user) = found.first else { throw try noDefault(selection, in: vault) }
    guard found.count == 1 else {
      throw VaultError(
        .ambiguous, "\(found.count) defaults match",
        candidates: found.map { Item(space: $0.space, account: $0.user, secret: nil) })
    }
    _ = try vault.setDefaultUser(nil, for: space)
    try write([(space, user)], "cleared", invocation)
  }

  private static func show(_ selection: Selection, _ invocation: Invocation) throws(VaultError) {
    let vault = try invocation.openVault()
    let found = try defaults(selection, vault)
    guard !found.isEmpty || selection.isEmpty else {
      throw try noDefault(selection, in: vault)
    }
    try write(found, nil, invocation)
  }

  private static func noDefault(
    _ selection: Selection, in vault: Vault
  ) throws(VaultError) -> VaultError {
    VaultError(
      .itemNotFound, "no default matches" + (try selection.question(in: VaultList([vault]))))
  }

  /// Returns the defaults whose space and user the selection names, in the order of keys.
  ///
  /// Each default is matched as the item that it stands for; the item itself may have been removed.
  private static func defaults(
    _ selection: Selection, _ vault: Vault
  ) throws(VaultError) -> [(space: ProtectionSpace, user: String)] {
    let readings = selection.readings.filter { !$0.namesID }
    guard !readings.isEmpty else {
      throw VaultError(.invalidArgument, "a default has no id; name its space")
    }
    let all = try vault.defaults()
      .map { (item: Item(space: $0, account: $1, secret: nil), space: $0, user: $1) }
      .sorted { $0.item.key < $1.item.key }
    for reading in readings {
      let found = all.filter { reading.query.rank(of: $0.item) != nil }
      if !found.isEmpty { return found.map { ($0.space, $0.user) } }
    }
    return []
  }

  private static func write(
    _ defaults: [(space: ProtectionSpace, user: String)], _ verb: String?,
    _ invocation: Invocation
  ) throws(VaultError) {
    guard invocation.isJSON else {
      if verb != nil, invocation.isQuiet { return }
      for (space, user) in defaults {
        let start = verb.map { "\($0) " } ?? ""
        try invocation.output.line("\(start)\(space)  \(user.isEmpty ? "-" : user)")
      }
      return
    }
    try invocation.output.document { (json) throws(VaultError) in
      try json.objects("defaults", defaults) { (each, json) throws(VaultError) in
        let (space, user) = each
        try json.field("host", space.host.name)
        try json.field("user", user)
        try json.field("protocol", space.protocol.rawValue)
        try json.field("port", space.port)
        try json.field("realm", space.realm)
        try json.field("auth", space.authenticationMethod.rawValue)
      }
    }
  }
}
