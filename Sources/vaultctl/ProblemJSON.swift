import VaultModel

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
    if let server = problem.server { try field("host", server.name) }
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
