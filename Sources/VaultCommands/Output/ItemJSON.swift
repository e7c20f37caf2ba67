import VaultModel
import VaultReports

extension Output {
  /// Writes `{"ok":true,"items":[…]}`, with the rule of the policy that decided if one did, and for
  /// each item the path of its vault if that is given; of a replica, with its last comparison.
  func document(
    items: [(item: Item, vault: String?)], rule: PersistencePolicy.Rule? = nil,
    lastSync: Timestamp? = nil
  ) throws(VaultError) {
    try document { (json) throws(VaultError) in
      if let lastSync { try json.field("last_sync", lastSync.rfc3339) }
      try json.array("items", items) { (each, json) throws(VaultError) in
        let (item, vault) = each
        try json.value(item, vault: vault)
      }
      if let rule { try json.field("rule", rule) }
    }
  }
}

extension JSONWriter {
  /// Writes an item: its class and the key always, other attributes if they are set, secrets if it
  /// has them.
  ///
  /// For a removed item, the removal time and the end of its retention are also written.
  mutating func value(
    _ item: Item, removed: RemovedItem? = nil, vault: String? = nil
  ) throws(VaultError) {
    try object { (json) throws(VaultError) in
      let itemClass = item.key.itemClass
      for attribute in Attribute.all where attribute != .revision && attribute.isOf(itemClass) {
        try json.field(attribute, of: item)
        if attribute == .id { try json.field("class", ItemText.name(itemClass)) }
        if attribute == .oneTimePasswordKey, item.hasOneTimePasswordKey {
          try json.field("totp", true)
        }
        guard attribute == .keptUntil else { continue }
        try json.state(of: item, removed)
        try json.field(.revision, of: item)
      }
      if let vault { try json.field("vault", vault) }
    }
  }

  private mutating func field(
    _ attribute: Attribute, of item: Item
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
      try object(name) { (json) throws(VaultError) in
        for (name, text) in ItemText.sorted(texts) { try json.field(name, text) }
      }
    case (_, .number), (_, nil):
      if attribute.isOfKey || attribute == .label || attribute == .comment { try field(name, "") }
    }
  }

  private mutating func state(
    of item: Item, _ removed: RemovedItem?
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
    try array(name, problems) { (problem, json) throws(VaultError) in try json.value(problem) }
  }

  /// Writes the known attributes of a problem.
  private mutating func value(_ problem: VaultProblem) throws(VaultError) {
    try object { (json) throws(VaultError) in
      try json.field("kind", problem.kind.rawValue)
      try json.field("message", problem.description)
      if let tree = problem.tree { try json.field("tree", tree) }
      if let buckets = problem.buckets {
        try json.field("first_bucket", buckets.lowerBound)
        try json.field("last_bucket", buckets.upperBound)
      }
      if let server = problem.server { try json.field("server", server.name) }
      if let account = problem.account { try json.field("account", account) }
      if let item = problem.item { try json.field("id", item.text) }
      if let missing = problem.missing { try json.field("missing", missing) }
      if !problem.items.isEmpty {
        try json.array("items", problem.items) { (item, json) throws(VaultError) in
          try json.value(item)
        }
      }
    }
  }
}
