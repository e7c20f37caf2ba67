import CredentialVault
import VaultModel

extension JSONWriter {
  /// Writes a rule with its conditions and effects.
  mutating func value(_ rule: PersistencePolicy.Rule, position: Int) throws(VaultError) {
    try beginObject()
    try field("position", position)
    try identity(rule)
    if !rule.note.isEmpty { try field("note", rule.note) }
    if let service = rule.service { try field("service", service) }
    if let host = rule.host { try field("host", host.description) }
    if let name = rule.protocol { try field("protocol", name.rawValue) }
    if let port = rule.port { try field("port", port) }
    if let method = rule.authenticationMethod { try field("auth", method.rawValue) }
    if let isProxy = rule.isProxy { try field("proxy", isProxy) }
    if let isSecure = rule.receivesCredentialSecurely { try field("secure", isSecure) }
    if let isLoopback = rule.isLoopback { try field("loopback", isLoopback) }
    try field("max", rule.maximumPersistence.word)
    if let lifetime = rule.lifetime { try field("lifetime_ms", lifetime.wholeMilliseconds) }
    try field("after_acceptance", rule.persistOnlyAfterAcceptance)
    try field("require_pin", rule.requiresPIN)
    try field("refuse", rule.refuse)
    try endObject()
  }

  /// Writes `"rule":{"id":…,"name":…}`.
  mutating func field(_ name: String, _ rule: PersistencePolicy.Rule) throws(VaultError) {
    try self.name(name)
    try beginObject()
    try identity(rule)
    try endObject()
  }

  mutating func field(_ name: String, _ excess: [PolicyExcess]) throws(VaultError) {
    try self.name(name)
    try beginArray()
    for one in excess { try value(one) }
    try endArray()
  }

  /// Writes `"space":{…}` or `"service":…`.
  mutating func field(_ subject: PolicySubject) throws(VaultError) {
    guard case .space(let space) = subject else {
      if case .service(let name) = subject { try field("service", name) }
      return
    }
    try name("space")
    try beginObject()
    try field("host", space.host.name)
    try field("protocol", space.protocol.rawValue)
    try field("port", space.port)
    try field("realm", space.realm)
    try field("auth", space.authenticationMethod.rawValue)
    try endObject()
  }

  private mutating func identity(_ rule: PersistencePolicy.Rule) throws(VaultError) {
    try field("id", rule.id.text)
    try field("name", rule.name)
  }

  /// Writes an excess; a move to the session is written as a removal from the file.
  private mutating func value(_ excess: PolicyExcess) throws(VaultError) {
    try beginObject()
    try field("kind", excess.kind.rawValue)
    switch excess.remedy {
    case .remove: try field("remedy", "remove")
    case .moveToSession:
      try field("remedy", "remove")
      try field("session_only", true)
    case .shorten(let until):
      try field("remedy", "shorten")
      try field("until", until.rfc3339)
    }
    try field("rule", excess.rule)
    if let id = excess.id { try field("id", id.text) }
    try fields(of: excess.key)
    try endObject()
  }

  /// Writes the class and the parts of a key.
  mutating func fields(of key: InternetPassword.Key) throws(VaultError) {
    try field("class", ItemText.name(key.itemClass))
    guard key.itemClass == .internetPassword else {
      try field("service", key.service)
      try field("account", key.account)
      return
    }
    try field("server", key.server.name)
    try field("account", key.account)
    try field("protocol", key.protocol.rawValue)
    try field("port", key.port)
    try field("realm", key.realm)
    try field("path", key.path)
    try field("auth", key.authenticationMethod.rawValue)
  }
}
