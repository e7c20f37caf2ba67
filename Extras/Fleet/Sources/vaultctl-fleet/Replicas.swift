import CredentialVault
import VaultCommands
import VaultModel

/// The replicas that a command is about, each of which is opened once.
final class Replicas {
  /// The line of one, or its fields in JSON.
  struct Answer {
    /// A line; nil for none.
    let text: String?
    let fields: [(name: String, value: UInt64)]
  }

  private let invocation: Invocation
  private let listed: [ListedVault]
  private let open: (ListedVault, KeySource?) throws(VaultError) -> Vault
  private var opened: [String: Vault] = [:]

  init(_ invocation: Invocation) throws(VaultError) {
    self.invocation = invocation
    listed = try invocation.replicas()
    open = try invocation.opener()
  }

  private func vault(_ listed: ListedVault) throws(VaultError) -> Vault {
    if let known = opened[listed.path] { return known }
    let vault = try open(listed, nil)
    opened[listed.path] = vault
    return vault
  }

  /// Opens the first one.
  func first() throws(VaultError) -> Vault { try vault(listed[0]) }

  /// Says what `body` returns of each.
  ///
  /// - Parameter body: Gets a replica, and the beginning of its line: its path, if there are
  ///   several.
  /// - Throws: An error, with the path if there are several, once all others had their turn.
  func forEach(
    _ body: (Vault, String) throws(VaultError) -> Answer
  ) throws(VaultError) {
    guard listed.count > 1 else { return try write(body(first(), "")) }
    var (answers, failure): ([(path: String, answer: Answer)], VaultError?) = ([], nil)
    for listed in listed {
      do throws(VaultError) {
        let answer = try body(vault(listed), "\(listed.path): ")
        answers.append((listed.path, answer))
        if !invocation.isJSON { try write(answer) }
      } catch {
        if let failure { try invocation.warn(failure.context) }
        failure = error.named(listed.path)
      }
    }
    if let failure { throw failure }
    guard invocation.isJSON else { return }
    try invocation.output.document { (json) throws(VaultError) in
      try json.objects("vaults", answers) { (each, json) throws(VaultError) in
        try json.field("path", each.path)
        for field in each.answer.fields { try json.field(field.name, field.value) }
      }
    }
  }

  private func write(_ answer: Answer) throws(VaultError) {
    guard invocation.isJSON else {
      if let text = answer.text { try invocation.output.line(text) }
      return
    }
    try invocation.output.document { (json) throws(VaultError) in
      for field in answer.fields { try json.field(field.name, field.value) }
    }
  }
}
