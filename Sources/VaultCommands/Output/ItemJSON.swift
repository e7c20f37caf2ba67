import VaultModel

extension JSONWriter {
  /// Writes `{"ok":true,"items":[…]}`, with the rule of the policy that decided if one did, and for
  /// each item the path of its vault if that is given; of a replica, with its last comparison.
  mutating func document(
    items: [(item: InternetPassword, vault: String?)], rule: PersistencePolicy.Rule? = nil,
    lastSync: Timestamp? = nil
  ) throws(VaultError) {
    try beginObject()
    try field("ok", true)
    if let lastSync { try field("last_sync", lastSync.rfc3339) }
    try name("items")
    try beginArray()
    for (item, vault) in items { try value(item, vault: vault) }
    try endArray()
    if let rule { try field("rule", rule) }
    try endObject()
    try finish()
  }

  /// Writes an item: its class and the key always, other attributes if they are set, secrets if it
  /// has them.
  ///
  /// For a removed item, the removal time and the end of its retention are also written.
  mutating func value(
    _ item: InternetPassword, removed: RemovedItem? = nil, vault: String? = nil
  ) throws(VaultError) {
    try beginObject()
    let itemClass = item.key.itemClass
    for attribute in Attribute.all where attribute != .revision && attribute.isOf(itemClass) {
      try field(attribute, of: item)
      if attribute == .id { try field("class", ItemText.name(itemClass)) }
      guard attribute == .keptUntil else { continue }
      try state(of: item, removed)
      try field(.revision, of: item)
    }
    if let vault { try field("vault", vault) }
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
    if !error.items.isEmpty {
      try name("candidates")
      try beginArray()
      for item in error.items { try value(item) }
      try endArray()
    }
    try endObject()
    if let problems { try field("problems", problems) }
    try endObject()
    try finish()
  }

  private mutating func field(
    _ attribute: Attribute, of item: InternetPassword
  ) throws(VaultError) {
    let name = attribute.json
    switch (attribute.form, item[attribute]) {
    case (.id, _): try field(name, item.id.text)
    case (.revision, _): try field(name, item.revision)
    case (.port, _): try field(name, item.port)
    case (.code, .number(let code)?): try field(name, ItemText.code(code))
    case (.secretKind, _):
      if let kind = ItemText.secretKind(item.secretKind.withoutPIN) { try field(name, kind) }
      if item.needsPIN { try field("pin", true) }
    case (_, .text(let text)?): try field(name, text)
    case (_, .flag(let isSet)?): try field(name, isSet)
    case (_, .time(let time)?): try field(name, time.rfc3339)
    case (_, .data(let bytes)?): try field(name, Base64.encode(bytes))
    case (_, .secret) where attribute == .secret && item.needsPIN: break
    case (_, .secret(let secret)?): try field(name, secret)
    case (_, .custom(let texts)?):
      try self.name(name)
      try beginObject()
      for (name, text) in ItemText.sorted(texts) { try field(name, text) }
      try endObject()
    case (_, .number), (_, nil):
      if attribute.isOfKey || attribute == .label || attribute == .comment { try field(name, "") }
    }
  }

  private mutating func state(
    of item: InternetPassword, _ removed: RemovedItem?
  ) throws(VaultError) {
    if ItemText.isExpired(item) { try field("expired", true) }
    if item.persistence == .session { try field("persistence", "session") }
    guard let removed else { return }
    try field("removed", removed.removed.rfc3339)
    try field("restorable_until", removed.restorableUntil.rfc3339)
  }
}

extension JSONWriter {
  /// Writes problems as an array of objects.
  mutating func field(_ name: String, _ problems: [VaultProblem]) throws(VaultError) {
    try self.name(name)
    try beginArray()
    for problem in problems { try value(problem) }
    try endArray()
  }

  /// Writes the known attributes of a problem.
  private mutating func value(_ problem: VaultProblem) throws(VaultError) {
    try beginObject()
    try field("kind", problem.kind.rawValue)
    try field("message", problem.description)
    if let tree = problem.tree { try field("tree", tree) }
    if let buckets = problem.buckets {
      try field("first_bucket", buckets.lowerBound)
      try field("last_bucket", buckets.upperBound)
    }
    if let server = problem.server { try field("server", server.name) }
    if let account = problem.account { try field("account", account) }
    if let item = problem.item { try field("id", item.text) }
    if let missing = problem.missing { try field("missing", missing) }
    if !problem.items.isEmpty {
      try name("items")
      try beginArray()
      for item in problem.items { try value(item) }
      try endArray()
    }
    try endObject()
  }
}
