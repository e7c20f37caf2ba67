import SecureMemory
import VaultModel

/// One item of the Secret Service while its lines are read.
struct SecretToolItem {
  let line: Int
  var label = ""
  var schema = ""
  var attributes: [String: String] = [:]
  /// The lines that the program writes beside them.
  var others: [String: String] = [:]
  /// The number of lines that are nothing of the kind.
  var unread = 0
  var created: Timestamp?
  var modified: Timestamp?
  /// The lines of the secret.
  var secretLines: [Secret] = []
  private var secretCount = 0
  /// Each line is memory of its own until the end; no secret that people have is as long.
  private static let mostLines = 4096
  private var problem: String?

  init(line: Int) {
    self.line = line
  }

  /// Rejects the item for the first of its problems.
  mutating func reject(_ reason: String) { problem = problem ?? reason }

  /// Sets a time; one in another form is kept as text.
  mutating func setTime(
    _ time: WritableKeyPath<SecretToolItem, Timestamp?>, _ pair: (name: String, value: String)
  ) {
    self[keyPath: time] = EntryDraft.time(pair.value)
    if self[keyPath: time] == nil, !pair.value.isEmpty { others[pair.name] = pair.value }
  }

  mutating func appendSecret(_ line: Secret) {
    secretCount += line.count + (secretLines.isEmpty ? 0 : 1)
    guard secretCount <= InterchangeLimit.secret, secretLines.count < Self.mostLines else {
      reject("secret: longer than \(InterchangeLimit.secret >> 20) MiB")
      return
    }
    secretLines.append(line)
  }

  func entry(_ options: ReadingOptions) -> Entry {
    let place = Place.line(line)
    if let problem { return Entry(place, .rejected(problem), title: label) }
    guard !secretLines.isEmpty else {
      let reason = "it is locked: repeat secret-tool search with --unlock"
      return Entry(place, .rejected(reason), title: label)
    }
    var draft = EntryDraft(place, path: .scope, options)
    var used: Set<String> = []
    let isGit = schema == "org.git.Password"
    if attributes.isEmpty { draft.remark(.attributesMissing) }
    draft.title = label
    draft.created = created
    draft.modified = modified
    if let name = ["user", "username", "account"].first(where: { attributes[$0] != nil }) {
      draft.account = attributes[name] ?? ""
      used.insert(name)
    }
    do throws(VaultError) {
      try readPlace(into: &draft, options, &used)
      if isGit {
        draft.origin = "git"
        try readGitSecret(into: &draft)
      } else {
        try SecretLines.join(secretLines).withRawBytes { (bytes) throws(VaultError) in
          try draft.read(secret: bytes)
        }
      }
    } catch {
      return Entry(place, .rejected(error.text), title: label)
    }
    keepOthers(used, in: &draft)
    return draft.entry()
  }

  /// Keeps all that says neither where nor for whom the password is.
  private func keepOthers(_ used: Set<String>, in draft: inout EntryDraft) {
    // They are written in two places.
    var others = others
    if attributes["xdg:schema"] == nil, !schema.isEmpty { others["xdg:schema"] = schema }
    for (name, value) in attributes where !used.contains(name) { others[name] = value }
    for (name, value) in others.sorted(by: { $0.key < $1.key }) { draft.addCustom(name, value) }
    if !label.isEmpty, !label.hasSameBytes(as: draft.title) { draft.addCustom("label", label) }
    if unread > 0 { draft.remark(.otherField, "\(unread) lines that are no attribute") }
  }

  private func readPlace(
    into draft: inout EntryDraft, _ options: ReadingOptions, _ used: inout Set<String>
  ) throws(VaultError) {
    guard let server = attributes["server"], !server.isEmpty else {
      if let service = attributes["service"], !service.isEmpty {
        draft.title = service
        used.insert("service")
      }
      return
    }
    used.insert("server")
    if let method = attributes["authtype"] {
      draft.authenticationMethod = try AuthenticationMethod(method)
      used.insert("authtype")
    }
    if schema == "io.docker.Credentials" { draft.origin = "docker" }
    if server.contains("://") {
      // A view of bytes: every bit pattern of UTF-8 is valid as raw bytes.
      return try unsafe draft.addAddress(server.utf8.span.bytes)
    }
    used.formUnion(["protocol", "domain", "port", "object"])
    let scheme = attributes["protocol"].flatMap { $0.isEmpty ? nil : $0 }
    if scheme == nil { draft.remark(.protocolAssumed) }
    let networkProtocol = try NetworkProtocol(scheme ?? options.assumedProtocol.rawValue)
    let domain = attributes["domain"] ?? ""
    if [.smb, .cifs].contains(networkProtocol) {
      draft.accountDomain = domain
    } else {
      draft.realm = domain
    }
    let isIPv6 = server.filter { $0 == ":" }.count > 1 && !server.hasPrefix("[")
    let host = isIPv6 ? "[\(server)]" : server
    let port = attributes["port"].flatMap { $0.isEmpty || $0 == "0" ? nil : ":\($0)" } ?? ""
    draft.addAddress(
      try URLReference("\(networkProtocol)://\(host)\(port)/\(attributes["object"] ?? "")"))
  }

  /// Reads the lines that Git's helper stores: the password, its expiry, a refresh token.
  private func readGitSecret(into draft: inout EntryDraft) throws(VaultError) {
    for (index, line) in secretLines.enumerated() {
      try line.withRawBytes { (bytes) throws(VaultError) in
        if index == 0 {
          try draft.read(secret: bytes)
        } else if let range = Bytes.range(bytes, after: "password_expiry_utc=") {
          draft.expires = try draft.time(bytes.extracting(range), "password_expiry_utc")
        } else if let range = Bytes.range(bytes, after: "oauth_refresh_token="), !range.isEmpty {
          draft.refreshToken = Secret(copying: bytes.extracting(range))
        } else {
          draft.addSecret("line \(index + 1) of the secret", bytes)
        }
      }
    }
  }
}
