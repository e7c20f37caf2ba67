import CredentialVault
import Interchange
import SecureMemory
import VaultModel

/// An export while it is written: the secrets of one item at a time are open.
struct Export {
  private let format: InterchangeFormat
  private let vault: Vault
  private let defaults: [ProtectionSpace: String]
  private var writer: any EntryWriter
  private var written = 0
  private var lost: [Loss: Int] = [:]
  /// The number of items that are left out, by the reason.
  private var leftOut: [String: Int] = [:]
  private var lacksPolicy = false
  /// Whether the vault limits how long its key may be remembered, which no format carries.
  private var lacksLimit = false

  init(
    _ format: InterchangeFormat, to sink: ByteSink, of vault: Vault
  ) throws(VaultError) {
    self.format = format
    self.vault = vault
    defaults = try vault.defaults()
    writer = try format.writer(to: sink)
    try writer.begin()
  }

  /// Writes an item that was listed; one that was removed meanwhile is not there.
  mutating func write(_ listed: Item) throws(VaultError) {
    let (item, previous): (Item, [PreviousSecret])
    do throws(VaultError) {
      item =
        format == .json
        ? try vault.itemToCopy(listed)
        : try vault.item(listed.id, hint: listed.key, withSecrets: true)
      previous = try vault.history.entries(of: item, withSecrets: format == .json)
    } catch {
      guard error.code == .itemNotFound else { throw error }
      return
    }
    // Other programs would keep a secret that has expired, and the library opens none.
    guard
      !ItemText.isExpired(item) || format == .json && (item.storedSecret != nil || item.isNegative)
    else {
      leftOut["expired", default: 0] += 1
      return
    }
    let isDefault =
      item.space.flatMap { defaults[$0] }.map { $0.utf8.elementsEqual(item.account.utf8) } ?? false
    count(try writer.write(item, isDefault: isDefault, previous: previous))
  }

  /// Writes what is in the trash, before the items: one that is there now may have the same key.
  mutating func writeTrash() throws(VaultError) {
    for removed in try vault.trash.items(.everything).reversed() {
      let (item, previous) = try vault.itemToCopy(removed)
      count(try writer.write(removed: item, at: removed.removed, previous: previous))
    }
  }

  private mutating func count(_ result: WritingResult) {
    switch result {
    case .written(let losses):
      written += 1
      for loss in losses { lost[loss, default: 0] += 1 }
    case .leftOut(let reason): leftOut[reason.rawValue, default: 0] += 1
    }
  }

  /// Ends the file of a whole vault, or of some of its items.
  mutating func end(isWhole: Bool) throws(VaultError) {
    let rules = isWhole ? try vault.policy.current().rules : []
    lacksPolicy = try !writer.write(rules) && !rules.isEmpty
    lacksLimit = isWhole ? try vault.policy.mostRemembered() != nil : false
    try writer.end()
  }

  /// Says what was written to the file, nil for standard output, and what was not.
  func report(path: String?, _ invocation: Invocation) throws(VaultError) {
    let lost = lost.map { ($0.description, $1) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    let leftOut = leftOut.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    if let path, invocation.isJSON {
      try document(path, lost: lost, leftOut: leftOut.map { ($0, $1) }, invocation)
      return
    }
    if let path, !invocation.isQuiet {
      try invocation.output.line("wrote \(path) (\(ItemText.count(written)))")
    }
    for (reason, count) in leftOut {
      try invocation.warn("\(ItemText.count(count)) left out: \(reason)")
    }
    for (part, count) in lost {
      try invocation.warn(
        part == Loss.quoting.description
          ? "\(ItemText.count(count)) in quotation marks: curl and Python read them, Go and ftp do not"
          : "\(format.rawValue) cannot carry: \(part) (\(ItemText.count(count)))")
    }
    if lacksPolicy {
      try invocation.warn("\(format.rawValue) cannot carry the policy: json does, and a backup")
    }
    if lacksLimit {
      try invocation.warn(
        "\(format.rawValue) cannot carry how long the vault's key may be remembered: vaultctl policy"
          + " remember sets it")
    }
    if let path, written > 0, !invocation.isQuiet {
      try invocation.hint("\(path) holds secrets in clear text: remove it once it is imported")
    }
  }

  private func document(
    _ path: String, lost: [(String, Int)], leftOut: [(String, Int)], _ invocation: Invocation
  ) throws(VaultError) {
    try invocation.output.document { (json) throws(VaultError) in
      try json.field("path", path)
      try json.field("format", format.rawValue)
      try json.field("items", written)
      try json.counts("lost", of: "part", lost)
      try json.counts("left_out", of: "reason", leftOut)
    }
  }
}

extension JSONWriter {
  /// Writes `"left_out":[{"reason":"expired","items":2}]`.
  fileprivate mutating func counts(
    _ name: String, of kind: String, _ counts: [(String, Int)]
  ) throws(VaultError) {
    try objects(name, counts) { (each, json) throws(VaultError) in
      let (word, count) = each
      try json.field(kind, word)
      try json.field("items", count)
    }
  }
}
