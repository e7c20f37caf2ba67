import CredentialVault
import Foundation
import FoundationNetworking
import SecureMemory
import StoreTesting
import TestSupport
import URLSessionTesting
import VaultModel
import VaultURLSession

/// Holds a vault's file, like another program that has just written it, until an unrelated session
/// was answered.
func blockedVault() async throws -> [String] {
  StateFolder.useOwn()
  let folder = try TemporaryFolder()
  try KeyFile.create(at: folder.file("key"))
  let stage = SessionFixture(
    try Vault.create(
      path: folder.file("vault/own.vault"), key: .keyFile(folder.file("key")), slotName: "own"))
  let server = try ScriptedServer(ScriptedLogin.basic(["ann": "right"]))
  let open = try ScriptedServer { _ in ScriptedResponse() }
  try stage.store(["ann": "right"], at: server)
  let session = URLSession(configuration: .ephemeral, vault: stage.vault)
  let holder = try LockHolder(folder.file("vault/own.vault"))
  try holder.commit()
  try holder.lock("EXCLUSIVE")
  let load = Task { await outcome { try await session.data(from: server.url()) } }
  while server.requests.isEmpty { await Task.yield() }
  // Time for the lookup to begin; however late it begins, nothing may wait for it.
  usleep(100_000)
  let same = await outcome { try await session.data(from: open.url()) }
  let other = try await unrelated()
  let isBlocked = server.requests.count == 1
  try holder.unlock()
  return [
    "same session \(same)", "\(other) \(isBlocked ? "while" : "before") the vault is blocked",
    await load.value,
  ]
}

func credentialValues() throws -> [String] {
  let (storage, space) = try storage()
  let first = storage.credentials(for: space)?["ann"]
  let second = storage.credentials(for: space)?["ann"]
  guard let first, let second, first !== second else { return ["no two objects"] }
  var text = ""
  dump(first, to: &text)
  text += "\(first) \(String(reflecting: first)) \(first.debugDescription)"
  return [
    first == second ? "equal" : "different",
    Set([first, second]).count == 1 ? "one in a set" : "two in a set",
    text.contains("hidden") ? "a secret in a dump" : "nothing in a dump",
  ]
}

/// Returns a storage with one credential, and a new object of its space.
private func storage() throws -> (VaultCredentialStorage, URLProtectionSpace) {
  let vault = Vault.inMemory()
  let storage = VaultCredentialStorage(vault)
  storage.setDefaultCredential(
    URLCredential(user: "ann", password: "hidden", persistence: .forSession), for: space())
  try storage.flush()
  return (storage, space())
}

private func space() -> URLProtectionSpace {
  URLProtectionSpace(
    host: "h", port: 443, protocol: "https", realm: "Team",
    authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
}

func defaultInStorage() throws -> [String] {
  let (storage, _) = try storage()
  storage.set(
    URLCredential(user: "ann", password: "changed", persistence: .forSession), for: space())
  let isChanged = storage.defaultCredential(for: space())?.password == "changed"
  storage.remove(
    URLCredential(user: "ann", password: "whatever", persistence: .permanent), for: space())
  let isGone =
    storage.defaultCredential(for: space()) == nil && storage.credentials(for: space()) == nil
  storage.set(URLCredential(user: "ann", password: "none", persistence: .none), for: space())
  try storage.flush()
  let isEmpty = storage.allCredentials.isEmpty
  return [
    isChanged ? "default has the new password" : "default is stale",
    isGone ? "deleted, no default" : "deleted, and still there",
    isEmpty ? "none stores nothing" : "none is stored",
  ]
}
