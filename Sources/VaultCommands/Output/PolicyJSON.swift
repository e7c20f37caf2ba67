import CredentialVault
import VaultModel

extension JSONWriter {
  /// Writes a rule with its conditions and effects.
  mutating func value(_ rule: PersistencePolicy.Rule, position: Int) throws(VaultError) {
    try object { (json) throws(VaultError) in
      try json.field("position", position)
      try json.identity(rule)
      if !rule.note.isEmpty { try json.field("note", rule.note) }
      if let service = rule.service { try json.field("service", service) }
      if let host = rule.host { try json.field("host", host.description) }
      if let name = rule.protocol { try json.field("protocol", name.rawValue) }
      if let port = rule.port { try json.field("port", port) }
      if let method = rule.authenticationMethod { try json.field("auth", method.rawValue) }
      if let isProxy = rule.isProxy { try json.field("proxy", isProxy) }
      if let isSecure = rule.receivesCredentialSecurely { try json.field("secure", isSecure) }
      if let isLoopback = rule.isLoopback { try json.field("loopback", isLoopback) }
      try json.field("max", rule.maximumPersistence.word)
      if let lifetime = rule.lifetime { try json.field("lifetime_ms", lifetime.wholeMilliseconds) }
      try json.field("after_acceptance", rule.persistOnlyAfterAcceptance)
      try json.field("require_pin", rule.requiresPIN)
      try json.field("refuse", rule.refuse)
      if let allows = rule.allowsNTLM { try json.field("ntlm", allows) }
      if rule.allowsNegotiateInClear { try json.field("negotiate_in_clear", true) }
    }
  }

  /// Writes `"rule":{"id":…,"name":…}`.
  mutating func field(_ name: String, _ rule: PersistencePolicy.Rule) throws(VaultError) {
    try object(name) { (json) throws(VaultError) in try json.identity(rule) }
  }

  mutating func field(_ name: String, _ excess: [PolicyExcess]) throws(VaultError) {
    try array(name, excess) { (one, json) throws(VaultError) in try json.value(one) }
  }

  /// Writes `"space":{…}` or `"service":…`.
  mutating func field(_ subject: PolicySubject) throws(VaultError) {
    guard case .space(let space) = subject else {
      if case .service(let name) = subject { try field("service", name) }
      return
    }
    try object("space") { (json) throws(VaultError) in
      try json.field("host", space.host.name)
      try json.field("protocol", space.protocol.rawValue)
      try json.field("port", space.port)
      try json.field("realm", space.realm)
      try json.field("auth", space.authenticationMethod.rawValue)
    }
  }

  private mutating func identity(_ rule: PersistencePolicy.Rule) throws(VaultError) {
    try field("id", rule.id.text)
    try field("name", rule.name)
  }

  /// Writes an excess; a move to the session is written as a removal from the file.
  private mutating func value(_ excess: PolicyExcess) throws(VaultError) {
    try object { (json) throws(VaultError) in
      try json.field("kind", excess.kind.rawValue)
      switch excess.remedy {
      case .remove: try json.field("remedy", "remove")
      case .moveToSession:
        try json.field("remedy", "remove")
        try json.field("session_only", true)
      case .shorten(let until):
        try json.field("remedy", "shorten")
        try json.field("until", until.rfc3339)
      }
      try json.field("rule", excess.rule)
      if let id = excess.id { try json.field("id", id.text) }
      try json.fields(of: excess.key)
    }
  }

  /// Writes the class and the parts of a key.
  mutating func fields(of key: Item.Key) throws(VaultError) {
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
