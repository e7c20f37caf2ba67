import VaultModel

extension JSONWriter {
  /// Writes `{"ok":true,"items":[…]}`, with the rule of the policy that decided if one did.
  mutating func document(
    items: [InternetPassword], rule: PersistencePolicy.Rule? = nil
  ) throws(VaultError) {
    try beginObject()
    try field("ok", true)
    try name("items")
    try beginArray()
    for item in items { try value(item) }
    try endArray()
    if let rule { try field("rule", rule) }
    try endObject()
    try finish()
  }

  /// Writes an item: the key always, other attributes if they are set, secrets if it has them.
  ///
  /// For a removed item, the removal time and the end of its retention are written, too.
  mutating func value(
    _ item: InternetPassword, removed: RemovedItem? = nil
  ) throws(VaultError) {
    try beginObject()
    try field("id", item.id.text)
    try field("host", item.server.name)
    try field("account", item.account)
    try field("protocol", item.protocol.rawValue)
    try field("port", item.port)
    try field("realm", item.realm)
    try field("path", item.path)
    try field("auth", item.authenticationMethod.rawValue)
    try field("label", item.label)
    try field("comment", item.comment)
    try fieldIfSet("kind", item.kind)
    try fieldIfSet("creator", ItemText.code(item.creator))
    try fieldIfSet("type", ItemText.code(item.type))
    try fieldIfSet("origin", item.origin)
    try fieldIfSet("account_domain", item.accountDomain)
    if item.isInvisible { try field("invisible", true) }
    if item.isNegative { try field("negative", true) }
    let custom = item.custom
    if !custom.isEmpty {
      try name("custom")
      try beginObject()
      for (name, value) in custom.sorted(by: { $0.key < $1.key }) { try field(name, value) }
      try endObject()
    }
    try field("created", item.created.rfc3339)
    try field("modified", item.modified.rfc3339)
    try field("secret_changed", item.secretChanged.rfc3339)
    if let expires = item.expires { try field("expires", expires.rfc3339) }
    if let end = item.keptUntil { try field("kept_until", end.rfc3339) }
    if ItemText.isExpired(item) { try field("expired", true) }
    if let removed {
      try field("removed", removed.removed.rfc3339)
      try field("restorable_until", removed.end.rfc3339)
    }
    try field("revision", item.revision)
    if let secret = item.secret { try field("password", secret) }
    if let token = item.refreshToken { try field("refresh_token", token) }
    try endObject()
  }

  /// Writes `{"ok":false,"error":{…}}`, for some errors with the problems that they consist of.
  mutating func document(
    error: VaultError, problems: [VaultProblem]? = nil
  ) throws(VaultError) {
    let exit = ExitCode(error.code)
    try beginObject()
    try field("ok", false)
    try name("error")
    try beginObject()
    try field("code", exit == .usage ? "usage" : error.code.description)
    try field("exit", exit.rawValue)
    try field("message", error.text)
    if !error.candidates.isEmpty {
      try name("candidates")
      try beginArray()
      for item in error.candidates { try value(item) }
      try endArray()
    }
    try endObject()
    if let problems { try field("problems", problems) }
    try endObject()
    try finish()
  }

  private mutating func fieldIfSet(_ name: String, _ text: String) throws(VaultError) {
    if !text.isEmpty { try field(name, text) }
  }
}
