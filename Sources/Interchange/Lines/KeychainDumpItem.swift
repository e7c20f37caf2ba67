import SecureMemory
import VaultModel

/// One item of a keychain's dump while its lines are read.
struct KeychainDumpItem {
  let line: Int
  var itemClass: String?
  /// The bytes of the attributes, by their four characters or their number.
  var attributes: [String: [UInt8]] = [:]
  var secret: Secret?
  /// Whether the dump says what the secret is, which may be nothing.
  var hasData = false
  /// The attributes whose value could not be read.
  var unread: [String] = []
  private var problem: String?

  init(line: Int) {
    self.line = line
  }

  /// Rejects the item for the first of its problems.
  mutating func reject(_ reason: String) { problem = problem ?? reason }

  func entry(_ options: ReadingOptions) -> Entry {
    let place = Place.line(line)
    let title = title
    if let problem { return Entry(place, .rejected(problem), title: title) }
    guard let itemClass, itemClass == "inet" || itemClass == "genp" else {
      return Entry(place, .leftOut(.other), title: title)
    }
    if number("nega") != 0 { return Entry(place, .leftOut(.noPasswordKept), title: title) }
    guard let secret else {
      return Entry(
        place, .rejected(hasData ? "no password" : "no password: the dump was made without -d"),
        title: title)
    }
    do throws(VaultError) {
      guard secret.count <= InterchangeLimit.secret else {
        throw VaultError(.tooLarge, "password: longer than \(InterchangeLimit.secret >> 20) MiB")
      }
      var item = Item(
        id: .unset, key: try itemClass == "inet" ? internetKey() : genericKey(),
        created: time("cdat"), modified: time("mdat"))
      item.secretChanged = item.modified
      item.secret = secret
      item.label = try text("0x00000007") ?? ""
      item.comment = try text("icmt") ?? ""
      item.kind = try text("desc") ?? ""
      item.creator = number("crtr")
      item.type = number("type")
      item.isInvisible = number("invi") != 0
      if itemClass == "genp" { item.generic = attributes["gena"] ?? [] }
      if itemClass == "inet", let server = try text("srvr"), !Self.parts(of: server).tail.isEmpty {
        if server.contains("otpauth://") {
          throw VaultError(.invalidData, "srvr: a key of one-time passwords")
        }
        item.custom[EntryDraft.wholeAddress] = server
      }
      let remarks = keepOthers(in: &item)
      if item.label == Self.labelOfDocker { try makeDocker(&item) }
      try item.validate()
      guard item.type == Self.note, let note = KeychainNote.text(secret) else {
        return Entry(place, .items([item]), title: title, remarks: remarks)
      }
      item.secret = note.text
      let parts = (remarks[.otherField] ?? []) + (note.isWhole ? [] : ["formatting and images"])
      return Entry(
        place, .items([item]), title: title, remarks: parts.isEmpty ? [:] : [.otherField: parts])
    } catch {
      return Entry(place, .rejected(error.text), title: title)
    }
  }

  /// The label, or what the item is for.
  private var title: String {
    for name in ["0x00000007", "svce", "srvr"] {
      let bytes = (attributes[name] ?? []).prefix { $0 != 0 }
      if let text = String(validating: bytes, as: UTF8.self), !text.isEmpty { return text }
    }
    return ""
  }

  /// The attributes that are read into an item of each class.
  private static let ofAny: Set<String> = [
    "0x00000007", "acct", "crtr", "desc", "icmt", "invi", "nega", "type",
  ]
  private static let ofInternet: Set<String> = ["atyp", "path", "port", "ptcl", "sdmn", "srvr"]
  private static let ofGeneric: Set<String> = ["gena", "svce"]

  private func isRead(_ name: String) -> Bool {
    switch name {
    case "cdat", "mdat": timeIfAny(name) != nil
    default:
      Self.ofAny.contains(name)
        || (itemClass == "inet" ? Self.ofInternet : Self.ofGeneric).contains(name)
    }
  }

  /// Keeps the attributes that an item has none of as custom ones, and returns those that are no
  /// text.
  private func keepOthers(in item: inout Item) -> [Remark: [String]] {
    var others = unread
    for (name, bytes) in attributes.sorted(by: { $0.key < $1.key })
    where !isRead(name) && bytes.contains(where: { $0 != 0 }) {
      let bytes = bytes.reversed().drop { $0 == 0 }.reversed()
      if let text = String(validating: Array(bytes), as: UTF8.self),
        text.utf8.count <= Attribute.custom.longest, !text.utf8.contains(where: { $0 < 0x20 }),
        !EntryDraft.isSecret(name), !text.contains("otpauth://")
      {
        item.custom[name] = text
      } else {
        others.append(name)
      }
    }
    return others.isEmpty ? [:] : [.otherField: others]
  }

  /// The label of the items of Docker's helper.
  private static let labelOfDocker = "Docker Credentials"
  /// The type of secure notes, four characters.
  private static let note: UInt32 = 0x6E6F_7465

  /// Makes an item Docker's; its helper has the server as a path where it has no scheme.
  private func makeDocker(_ item: inout Item) throws(VaultError) {
    item.origin = DockerServer.origin
    guard item.key.itemClass == .internetPassword, item.server.isUnset, !item.path.isEmpty,
      let secret = item.secret
    else { return }
    let docker = try DockerServer(item.path).item(user: item.account, secret) { _ in false }
    item.key = docker.key
    item.secretKind = docker.secretKind
    item.custom = docker.custom
  }

  private func internetKey() throws(VaultError) -> Item.Key {
    let port = number("port")
    guard port <= UInt16.max else { throw VaultError(.invalidData, "port: above 65535") }
    // Some programs wrote `example.com/`; what else follows is kept beside it.
    let server = Self.parts(of: try text("srvr") ?? "").host
    return Item.Key(
      account: try text("acct") ?? "", realm: try text("sdmn") ?? "",
      server: try HostName(String(server)), protocol: try networkProtocol(),
      authenticationMethod: try method(), port: UInt16(port), path: try text("path") ?? "")
  }

  /// Returns a server without what follows its first slash, and that, if it says anything.
  private static func parts(of server: String) -> (host: Substring, tail: Substring) {
    let host = server.prefix { $0 != "/" }
    return (host, server.dropFirst(host.count + 1))
  }

  private func genericKey() throws(VaultError) -> Item.Key {
    var service = try text("svce") ?? ""
    if service.isEmpty { service = try text("0x00000007") ?? "" }
    guard !service.isEmpty else { throw VaultError(.invalidData, "neither a service nor a label") }
    return Item.Key(service: service, account: try text("acct") ?? "")
  }

  private func networkProtocol() throws(VaultError) -> NetworkProtocol {
    let code = number("ptcl")
    guard let known = NetworkProtocol(fourCharacterCode: code) else {
      throw VaultError(.invalidData, "ptcl: a protocol that is not known")
    }
    return known
  }

  /// Returns the method; `security -t` writes its characters in reverse on little-endian machines.
  private func method() throws(VaultError) -> AuthenticationMethod {
    let code = number("atyp")
    if let method = AuthenticationMethod(fourCharacterCode: code) { return method }
    guard let method = AuthenticationMethod(fourCharacterCode: code.byteSwapped) else {
      throw VaultError(.invalidData, "atyp: an authentication method that is not known")
    }
    return method
  }

  /// Returns a text, without the NUL at the end of the keychain's own hexadecimal ones.
  private func text(_ name: String) throws(VaultError) -> String? {
    guard var bytes = attributes[name] else { return nil }
    while bytes.last == 0 { bytes.removeLast() }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw VaultError(.invalidData, "\(name): not UTF-8")
    }
    return text.isEmpty ? nil : text
  }

  /// Returns the number in up to four bytes, the highest first; a quoted code has blanks at its
  /// end.
  private func number(_ name: String) -> UInt32 {
    guard let bytes = attributes[name], bytes.count <= 4 else { return 0 }
    return bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Returns the time of `YYYYMMDDhhmmssZ`; now if there is none, and never in the future.
  private func time(_ name: String) -> Timestamp {
    let now = Timestamp.now()
    return min(timeIfAny(name) ?? now, now)
  }

  private func timeIfAny(_ name: String) -> Timestamp? {
    guard let bytes = attributes[name], bytes.count >= 15, bytes[14] == UInt8(ascii: "Z"),
      bytes[..<14].allSatisfy(\.isDigit)
    else { return nil }
    let digits = String(decoding: bytes[..<14], as: UTF8.self)
    func part(_ start: Int, _ count: Int) -> Substring { digits.dropFirst(start).prefix(count) }
    do throws(VaultError) {
      let text =
        "\(part(0, 4))-\(part(4, 2))-\(part(6, 2))T\(part(8, 2)):\(part(10, 2)):\(part(12, 2))Z"
      return try Timestamp(rfc3339: text)
    } catch {
      return nil
    }
  }
}
