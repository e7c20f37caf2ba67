import SecureMemory
import VaultModel

/// Reads the output of `secret-tool search --all --unlock … 2>&1`.
///
/// An item begins with its path in brackets. Its secret can have several lines, up to the line with
/// the time when it was made; those of Git's helper are further fields.
///
/// - Source: libsecret's `secret-tool.c`; Git's `git-credential-libsecret.c`.
struct SecretToolReader: EntryReader {
  private let lines: LineReader
  private let options: ReadingOptions
  private var item: SecretToolItem?
  private var isSecret = false
  private var recognition = Recognition()

  init(_ source: ByteSource, _ options: ReadingOptions) throws(VaultError) {
    lines = try LineReader(source)
    self.options = options
  }

  mutating func next() throws(VaultError) -> Entry? {
    while try lines.next() {
      let isStart = lines.bytes.withRawBytes { bytes in
        bytes.byteCount > 2 && Bytes.at(bytes, 0) == UInt8(ascii: "[")
          && Bytes.at(bytes, bytes.byteCount - 1) == UInt8(ascii: "]")
          && Bytes.at(bytes, 1) == UInt8(ascii: "/")
      }
      recognition.add(isStart)
      if let problem = lines.problem {
        item?.reject(problem)
        continue
      }
      // The program ends every line: an attribute, or the secret, is cut.
      if !lines.isTerminated { item?.reject("the file ends in the middle of a line") }
      if isStart {
        let before = take()
        item = SecretToolItem(line: lines.line)
        isSecret = false
        if let before { return before }
      } else {
        readLine()
      }
    }
    try recognition.check(.secretTool)
    return take()
  }

  private mutating func readLine() {
    let bytes = lines.bytes.count
    if let range = lines.bytes.withRawBytes({ Bytes.range($0, after: "secret = ") }), !isSecret {
      isSecret = true
      item?.appendSecret(lines.bytes.secret(range))
    } else if isSecret, lines.bytes.withRawBytes({ Bytes.range($0, after: "created = ") }) == nil {
      item?.appendSecret(lines.bytes.secret(0..<bytes))
    } else {
      isSecret = false
      readAttribute()
    }
  }

  private mutating func readAttribute() {
    let pair = lines.bytes.withRawBytes { bytes -> (name: String, value: String)? in
      guard let text = Bytes.textOrNil(bytes), let sign = text.firstRange(of: " = ") else {
        return nil
      }
      return (String(text[..<sign.lowerBound]), String(text[sign.upperBound...]))
    }
    guard let pair else {
      // It may be a part of a secret.
      if !lines.bytes.withRawBytes({ Bytes.trimmed($0).isEmpty }) { item?.unread += 1 }
      return
    }
    switch pair.name {
    case "label": item?.label = pair.value
    case "schema": item?.schema = pair.value
    case "created": item?.setTime(\.created, pair)
    case "modified": item?.setTime(\.modified, pair)
    case _ where pair.name.hasPrefix("attribute."):
      item?.attributes[String(pair.name.dropFirst("attribute.".count))] = pair.value
    default: item?.others[pair.name] = pair.value
    }
  }

  private mutating func take() -> Entry? {
    defer { item = nil }
    return item?.entry(options)
  }
}

/// One item of the Secret Service while its lines are read.
private struct SecretToolItem {
  let line: Int
  var label = ""
  var schema = ""
  var attributes: [String: String] = [:]
  /// What the program writes beside them.
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
    var draft = EntryDraft(place, path: .scope, options)
    var used: Set<String> = []
    let isGit = schema == "org.git.Password"
    if attributes.isEmpty, schema.isEmpty { draft.remark(.attributesMissing) }
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

/// Lines of a secret.
enum SecretLines {
  /// Returns the lines as one secret, with a line feed between them.
  static func join(_ lines: [Secret]) -> Secret {
    if lines.count == 1 { return lines[0] }
    var joined = SecretBuffer()
    for (index, line) in lines.enumerated() {
      if index > 0 { joined.append(UInt8(ascii: "\n")) }
      line.withRawBytes { joined.append($0) }
    }
    return joined.secret(0..<joined.count)
  }
}
