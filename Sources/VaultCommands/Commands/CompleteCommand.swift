import VaultAdministration
import Glibc
import VaultModel

/// `vaultctl complete`: the names in a vault, for the completion scripts of shells.
///
/// It must never get in the way of somebody who types: it asks nobody, waits for no lock, spends no
/// time on a passphrase, and is silent if anything is wrong.
enum CompleteCommand {
  static let command = Command(
    id: .complete,
    operands: Command.Operands(
      synopsis: "\(CompletionSubject.allCases.map(\.rawValue).joined(separator: "|")) [START]",
      count: 1...2,
      words: CompletionSubject.allCases.map(\.rawValue)),
    summary: "list names in the vault for completions", example: "vaultctl complete items git",
    details: [
      "Opens the vault only with a key file, or with a key that is remembered, and never prompts."
    ],
    groups: [.typedPlace, .plain], takesSeveralVaults: true, isHidden: true, hasProtocol: true,
    run: run)

  /// More names than anybody reads.
  private static let most = 1000
  private static let mostItems = 20_000
  private static let longestWait = Duration.milliseconds(200)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let operands = invocation.arguments.operands
    guard let subject = operands.first.flatMap(CompletionSubject.init) else { return .success }
    let start = operands.count > 1 ? operands[1] : ""
    let names: [String]
    do throws(VaultError) {
      names = try self.names(of: subject, start, invocation.arguments)
    } catch {
      return .success
    }
    let fitting = Set(names).filter { $0.hasPrefix(start) && !$0.isEmpty && isWord($0) }.sorted()
    for name in fitting.prefix(most) { try invocation.output.line(name) }
    return .success
  }

  private static func names(
    of subject: CompletionSubject, _ start: String, _ arguments: Arguments
  ) throws(VaultError) -> [String] {
    func items() throws(VaultError) -> [Item] { try self.items(arguments) }
    func unlocked() throws(VaultError) -> Vault { try self.unlocked(vault(), arguments) }
    func vault() throws(VaultError) -> ListedVault {
      try VaultLocation.vault(at: arguments.text(.vault))
    }
    switch subject {
    case .vaults:
      return try VaultConfiguration.read()?.entries.map(\.path) ?? []
    case .slots:
      return try open(vault()).keys.slots().map { String($0.id) }
    case .rules:
      return try unlocked().policy.current().rules.map(\.name)
    case .trash:
      return try unlocked().trash.items(.everything).flatMap { names(of: $0.item) }
    case .items:
      // Nobody is offered a URL who does not begin to type one.
      return try items().flatMap { names(of: $0) + (start.isEmpty ? [] : urls(of: $0)) }
    case .urls: return try items().flatMap(urls)
    case .ids: return try items().map(\.id.text)
    case .hosts: return try items().filter { !$0.server.isUnset }.map(\.server.name)
    case .accounts: return try items().map(\.account)
    case .services:
      return try items().filter { $0.key.itemClass == .genericPassword }.map(\.key.service)
    }
  }

  /// Returns the items of all vaults of the list; none if there are too many.
  private static func items(_ arguments: Arguments) throws(VaultError) -> [Item] {
    var items: [Item] = []
    for listed in try VaultLocation.list(arguments.texts(.vault)).vaults {
      let vault = try unlocked(listed, arguments)
      guard try vault.maintenance.information().itemCount <= mostItems else { return [] }
      items += try vault.findAll(.everything).filter { !$0.isInvisible }
    }
    return items
  }

  /// Returns the URLs that name an item, without and with its user.
  private static func urls(of item: Item) -> [String] {
    let place = ItemText.place(item.key)
    guard item.key.itemClass == .internetPassword, let slashes = place.firstRange(of: "://") else {
      return []
    }
    guard !item.account.isEmpty, !item.account.utf8.contains(where: "@:/?#".utf8.contains) else {
      return [place]
    }
    let (start, rest) = (place[..<slashes.upperBound], place[slashes.upperBound...])
    return [place, "\(start)\(item.account)@\(rest)"]
  }

  /// Returns the references that name an item.
  private static func names(of item: Item) -> [String] {
    guard item.key.itemClass == .internetPassword else { return [item.key.service] }
    guard !item.server.isUnset else { return [] }
    let host = item.server.name
    return item.account.isEmpty || item.account.contains(":")
      ? [host] : [host, "\(item.account)@\(host)"]
  }

  /// Returns whether every shell takes a name as one word without quotes.
  private static func isWord(_ name: String) -> Bool { Hint.quoted(name) == name }

  /// Unlocks a vault with a key file that the line, the environment or the configuration names, or
  /// with what the kernel remembers: a completion does not count as use of it.
  private static func unlocked(
    _ listed: ListedVault, _ arguments: Arguments
  ) throws(VaultError) -> Vault {
    let vault = try open(listed)
    let named = arguments.text(.keyFile).map(KeySource.keyFile)
    // A pipe or a terminal would be waited for.
    let found = (try named.orFound()?.keyFileSources ?? []).filter(\.isReadAtOnce)
    let files = KeySource.found(found)
    if try vault.opens(withoutAsking: files) { return vault }
    guard try RememberedKey(vault).remembered() != nil else {
      throw VaultError(.locked, "no key file, and nothing remembered")
    }
    return vault
  }

  private static func open(_ listed: ListedVault) throws(VaultError) -> Vault {
    try Vault.openLocked(listed, lockTimeout: longestWait)
  }
}

extension KeySource {
  /// Whether it is not a file, or an ordinary one.
  fileprivate var isReadAtOnce: Bool {
    guard case .keyFile(let path) = self else { return true }
    var state = stat()
    // The path is copied into a string that ends with NUL for the call; the structure is ours.
    return unsafe stat(path, &state) == 0 && state.st_mode & S_IFMT == S_IFREG
  }
}

/// The names in a vault that a completion offers.
enum CompletionSubject: String, CaseIterable, Sendable {
  case items, slots, rules, trash, vaults, urls, ids, hosts, accounts, services
}
