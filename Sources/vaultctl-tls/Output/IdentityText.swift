import TLSCredentials
import VaultCommands
import VaultModel

extension StoredIdentity {
  /// The line of an identity: `7k3q2m9d0v  https://api.example  ann  CN=ann  EC P-256  until …`.
  var line: String {
    let isExpired = summary.notAfter < Clock.now() ? "  (expired)" : ""
    let place = item.server.isUnset ? "-" : ItemText.place(item.key)
    return [
      ItemText.id(id), place, item.account, "\(summary.subject)", "\(summary.keyAlgorithm)",
      "until \(summary.notAfter.seconds)",
    ].joined(separator: "  ") + (keyReference == nil ? "" : "  (token)") + isExpired
      + (item.persistence == .session ? "  (session)" : "")
  }
}

extension Invocation {
  /// Writes identities, a line each, or as a document.
  ///
  /// - Parameters:
  ///   - identities: The identities.
  ///   - verb: The word before each line; with one, nothing is written if messages are not wanted.
  ///   - hasFacts: Whether the facts about all certificates follow.
  /// - Throws: Any error of writing the output.
  func write(
    _ identities: [StoredIdentity], verb: String = "", hasFacts: Bool = false
  ) throws(VaultError) {
    guard !isJSON else { return try writeDocument(identities) }
    guard verb.isEmpty || !isQuiet else { return }
    for identity in identities {
      try output.line(verb + identity.line)
      guard hasFacts else { continue }
      if let uri = identity.keyReference { try output.line("key: \(uri)") }
      for (index, certificate) in ([identity.certificate] + identity.chain).enumerated() {
        try output.line("\(index): \(certificate.subject)")
        for (name, value) in certificate.facts { try output.line("   \(name): \(value)") }
      }
    }
  }

  private func writeDocument(_ identities: [StoredIdentity]) throws(VaultError) {
    try output.document { (json) throws(VaultError) in
      try json.array("identities", identities) { (identity, json) throws(VaultError) in
        try json.value(identity)
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func value(_ identity: StoredIdentity) throws(VaultError) {
    let item = identity.item
    try object { (json) throws(VaultError) in
      try json.field("id", identity.id.text)
      try json.field("name", item.account)
      try json.field("label", item.label)
      try json.field("protocol", item.protocol.rawValue)
      try json.field("server", item.server.name)
      try json.field("port", item.port)
      try json.field("realm", item.realm)
      try json.field("not_before", identity.notBefore.seconds)
      try json.field("not_after", identity.notAfter.seconds)
      if identity.notAfter < Clock.now() { try json.field("expired", true) }
      if item.persistence == .session { try json.field("persistence", "session") }
      if let uri = identity.keyReference { try json.field("key_reference", uri) }
      try json.field("certificates", [identity.certificate] + identity.chain)
    }
  }
}
