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
    var json = JSONWriter(output)
    try json.beginObject()
    try json.field("ok", true)
    try json.name("identities")
    try json.beginArray()
    for identity in identities { try json.value(identity) }
    try json.endArray()
    try json.endObject()
    try json.finish()
  }
}

extension JSONWriter {
  fileprivate mutating func value(_ identity: StoredIdentity) throws(VaultError) {
    let item = identity.item
    try beginObject()
    try field("id", identity.id.text)
    try field("name", item.account)
    try field("label", item.label)
    try field("protocol", item.protocol.rawValue)
    try field("server", item.server.name)
    try field("port", item.port)
    try field("realm", item.realm)
    try field("not_before", identity.summary.notBefore.seconds)
    try field("not_after", identity.summary.notAfter.seconds)
    if identity.summary.notAfter < Clock.now() { try field("expired", true) }
    if item.persistence == .session { try field("persistence", "session") }
    if let uri = identity.keyReference { try field("key_reference", uri) }
    try field("certificates", [identity.certificate] + identity.chain)
    try endObject()
  }
}
