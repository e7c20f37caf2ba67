import AttackSupport
import CredentialVault
import SecureMemory
import TestSupport
import VaultModel

/// Performs all operations on items, in the requested number of threads, and prints how many items
/// the session has then.
///
/// All threads, and all processes that do the same, change three shared items: one is stored again
/// and again, one counts the rounds, protected only by its revision, and one is deleted and
/// restored.
func mix(_ arguments: Arguments) throws(VaultError) {
  let vault = try arguments.openVault()
  let (threads, rounds) = (arguments.number("threads", default: 1), arguments.number("rounds"))
  let name = arguments["name"]
  let failures = Lock<[VaultError]>([])
  inThreads(threads) { thread in
    do throws(VaultError) {
      for number in stride(from: thread, to: rounds, by: threads) {
        try mix("\(name)-\(number)", number, vault)
      }
    } catch {
      failures.withLock { $0.append(error) }
    }
  }
  if let failure = failures.withLock({ $0.first }) { throw failure }
  say(try vault.findAll(ItemQuery()).count { $0.persistence == .session })
}

/// Adds an item, finds and changes it, and deletes every third; every fifth is the session's.
private func mix(_ account: String, _ number: Int, _ vault: Vault) throws(VaultError) {
  let new = Workload.item(account, "new")
  let place: Persistence = number % 5 == 4 ? .session : .permanent
  let added = try vault.add(new, persistence: place).item
  let found = try vault.find(ItemQuery(key: new.key), withSecrets: true)
  guard found.id == added.id, found.secret?.text == "new" else { throw wrong("another item") }
  let changes: [ItemChange] = [.secret(Secret("changed"))]
  let changed = try vault.modify(found, changes, ifRevision: found.revision).item
  guard try vault.item(added.id, hint: new.key, withSecrets: true).secret?.text == "changed",
    try vault.history.entries(of: found, withSecrets: true).map({ $0.secret?.text }) == ["new"]
  else { throw wrong("another secret") }
  switch number % 6 {
  case 2:
    try vault.remove(changed, ifRevision: changed.revision)
    if place == .permanent { try bringBack(changed, in: vault) }
  case 5: try vault.removeUnique(ItemQuery(key: new.key))
  default: break
  }
  if number % 10 == 0 { _ = try vault.findAll(ItemQuery(), withSecrets: true) }
  try vault.upsert(Workload.item("shared", account))
  try count(in: vault)
  try contest(in: vault)
}

/// Restores an item that was deleted, and deletes it again.
private func bringBack(_ item: Item, in vault: Vault) throws(VaultError) {
  guard let removed = try vault.trash.items(ItemQuery(key: item.key)).first,
    try vault.trash.restore(removed).item.id == item.id,
    try vault.find(ItemQuery(key: item.key), withSecrets: true).secret?.text == "changed",
    try vault.history.entries(of: item, withSecrets: true).map({ $0.secret?.text }) == ["new"]
  else { throw wrong("another item came back") }
  try vault.removeUnique(ItemQuery(key: item.key))
}

/// Restores the shared item if it is in the trash, and deletes it if not; others also do so.
private func contest(in vault: Vault) throws(VaultError) {
  let query = ItemQuery(key: Workload.item("contested", "").key)
  do throws(VaultError) {
    if let removed = try vault.trash.items(query).first {
      try vault.trash.restore(removed)
    } else {
      try vault.removeUnique(query)
    }
  } catch {
    // Another one was faster.
    guard error.code == .itemNotFound else { throw error }
  }
}

private func count(in vault: Vault) throws(VaultError) {
  while true {
    let counter = try vault.find(ItemQuery(key: Workload.item("counter", "").key))
    let next = (Int(counter.comment) ?? 0) + 1
    do throws(VaultError) {
      try vault.modify(counter, [.comment("\(next)")], ifRevision: counter.revision)
      return
    } catch {
      guard error.code == .conflict else { throw error }
    }
  }
}

private func wrong(_ what: String) -> VaultError { VaultError(.internalError, what) }
