import VaultAdministration
import VaultModel

/// `vaultctl fleet log`: which machine wrote what, and when.
///
/// The machine's signature proves who wrote. The changes are from the vault's own log, which every
/// machine that writes is trusted with.
enum FleetLog {
  static func run(_ invocation: Invocation) throws(VaultError) {
    let limit = try invocation.arguments.parsed(.limit, as: Values.count) ?? .max
    let vault = try invocation.openVault()
    let commits = try vault.commits(limit: limit)
    let first = commits.last?.generation ?? 0
    let changes = Dictionary(
      grouping: try vault.log.changes(since: nil, limit: nil, where: { $0.generation >= first }),
      by: \.generation)
    guard !invocation.isJSON else {
      return try invocation.output.document { (json) throws(VaultError) in
        try json.array("commits", commits) { (commit, json) throws(VaultError) in
          try json.value(commit, changes[commit.generation] ?? [])
        }
      }
    }
    for commit in commits {
      let works = (changes[commit.generation] ?? []).map(text)
      try invocation.output.line(
        "generation \(commit.generation), \(commit.time.rfc3339), \(author(of: commit))"
          + (works.isEmpty ? "" : ": " + works.joined(separator: "; ")))
    }
    if commits.isEmpty, !invocation.isQuiet {
      try invocation.hint("the vault is not a fleet's: vaultctl log shows its changes")
    }
  }

  private static func author(of commit: FleetCommit) -> String {
    guard let machine = commit.machine else { return "signed by no machine" }
    if !commit.isValid { return "\(machine), whose signature is wrong" }
    if commit.isMember { return machine }
    // Nothing proves the name any more, but the key is the one that signed.
    return "\(machine), no machine of the vault now, with the key \(commit.fingerprint ?? "")"
  }

  private static func text(_ change: LoggedChange) -> String {
    [change.operation.rawValue, change.key.map(ItemText.place) ?? "", change.key?.account ?? ""]
      .filter { !$0.isEmpty }.joined(separator: " ")
  }
}

extension JSONWriter {
  fileprivate mutating func value(
    _ commit: FleetCommit, _ changes: [LoggedChange]
  ) throws(VaultError) {
    try object { (json) throws(VaultError) in
      try json.field("generation", commit.generation)
      try json.field("time", commit.time.rfc3339)
      if let machine = commit.machine { try json.field("machine", machine) }
      if let fingerprint = commit.fingerprint { try json.field("fingerprint", fingerprint) }
      try json.field("member", commit.isMember)
      try json.field("valid", commit.isValid)
      try json.array("changes", changes) { (change, json) throws(VaultError) in
        try json.value(change.operation.rawValue)
      }
    }
  }
}
