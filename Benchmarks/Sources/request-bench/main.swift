import CredentialVault
import Foundation
import FoundationNetworking
import LoopbackServer
import SecureMemory
import VaultModel
import VaultURLSession

// Measures authenticated requests against the same session with a field written by hand, and prints
// a Markdown table. `request-bench authenticated COUNT` and `request-bench by-hand COUNT` only send
// requests of one kind, for a profiler. `request-bench transports` measures the transport beside
// bare libcurl and Foundation; `transport COUNT`, `prepared COUNT`, `bare COUNT`, `protocol COUNT`
// and `foundation COUNT` only send those.
//
// A program of its own: the one for the vault is not to load Foundation.

let words = Array(CommandLine.arguments.dropFirst())
let kinds: Set<String> = ["transports", "transport", "prepared", "bare", "protocol", "foundation"]
// Before there is any thread.
let apart = kinds.contains(words.first ?? "") ? try Transports.Servers() : nil

let folder = FileManager.default.temporaryDirectory.appending(path: "request-bench-\(UUID())")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
defer {
  do {
    try FileManager.default.removeItem(at: folder)
  } catch {
    log("\(folder.path) is left: \(error)")
  }
}
// The state that this run leaves is removed with the folder.
guard unsafe setenv("XDG_STATE_HOME", folder.path, 1) == 0 else { throw Failure("no state folder") }
let key = folder.appending(path: "key").path
try KeyFile.create(at: key)
let vault = try Vault.create(path: folder.appending(path: "vault").path, key: .keyFile(key))

let port = loopback_server_start()
guard port != 0 else { throw Failure("no server") }
let space = try ProtectionSpace(
  host: "127.0.0.1", port: Int(port), protocol: .http, realm: "Team")
try vault.set(
  Credential(user: "ann", secret: Secret("correct horse"), persistence: .permanent), for: space)

if let apart {
  let transports = try Transports(apart, vault)
  if words.count == 2, let count = Int(words[1]) {
    try await transports.profile(words[0], count)
  } else {
    print(try await transports.run(), terminator: "")
  }
} else if words.count == 2, let count = Int(words[1]) {
  let requests = try Requests(
    vault: vault, port: port, scheme: "Basic", field: Requests.basic, form: .task, lanes: 1)
  _ = try await words[0] == "by-hand" ? requests.peer(count) : requests.ours(count)
} else {
  let report = Report()
  for (scheme, field) in [("Basic", Requests.basic), ("Digest, SHA-256", Requests.digest)] {
    for lanes in [1, 8] {
      for form in Form.allCases {
        try await report.add(
          Requests(
            vault: vault, port: port, scheme: scheme, field: field, form: form, lanes: lanes))
      }
    }
    for wait in [2, 20] {
      try await report.add(
        Requests(
          vault: vault, port: port, scheme: scheme, field: field, form: .task, lanes: 1,
          wait: wait))
    }
  }
  print(report.markdown, terminator: "")
}
