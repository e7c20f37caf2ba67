import VaultCrypto
package import VaultModel

/// The route of a record: a key for each level of trees.
///
/// Source: `Documentation/format.md` §5.3.
package enum Route {
  case item(Item.Key)
  case space(ProtectionSpace)
  case rule(ItemID)
  case keys(host: [UInt8], account: [UInt8], rest: [UInt8])

  /// The substitute for a host in the policy's rules: no host is a NUL, so all rules are in one
  /// group of their own.
  package static let rulesHost: [UInt8] = [0]

  package func key(level: Int) -> [UInt8] {
    switch (self, level) {
    case (.item(let key), 0): Array(key.server.name.utf8)
    case (.item(let key), 1): Array(key.account.utf8)
    case (.item(let key), _):
      Self.rest(
        protocol: key.protocolField, method: key.authenticationMethod.rawValue,
        port: key.port, path: key.path, realm: key.realm)
    case (.space(let space), 0): Array(space.host.name.utf8)
    case (.space, 1): []
    case (.space(let space), _):
      Self.rest(
        protocol: space.protocol.rawValue, method: space.authenticationMethod.rawValue,
        port: space.port, path: "", realm: space.realm)
    case (.rule, 0): Self.rulesHost
    case (.rule, 1): []
    case (.rule(let id), _): id.bytes
    case (.keys(let host, _, _), 0): host
    case (.keys(_, let account, _), 1): account
    case (.keys(_, _, let rest), _): rest
    }
  }

  /// Reads a record's route.
  package init(kind: UInt8, _ bytes: [UInt8], _ body: Range<Int>) throws(VaultError) {
    var reader = FieldReader(bytes, body)
    var (host, account, id) = ([UInt8](), [UInt8](), [UInt8]())
    var generation: [UInt8] = []
    var (`protocol`, method, path, realm) = ([UInt8](), [UInt8](), [UInt8](), [UInt8]())
    var port: [UInt8] = [0, 0]
    let last = kind == RecordKind.logEntry ? FieldTag.revision : .id
    while let field = try reader.next(), field.tag <= last.rawValue {
      let value = Array(bytes[field.range])
      switch FieldTag(rawValue: field.tag) {
      case .server: host = value
      case .account: account = value
      case .realm: realm = value
      case .protocol: `protocol` = value
      case .authenticationMethod: method = value
      case .port: port = value
      case .path: path = value
      case .id: id = value
      case .revision: generation = value
      default: continue
      }
    }
    switch kind {
    case RecordKind.item, RecordKind.previousSecret, RecordKind.removedItem:
      let rest = `protocol` + [0] + method + [0] + port + path + [0] + realm
      self = .keys(host: host, account: account, rest: rest)
    case RecordKind.tree:
      self = .keys(host: host, account: account, rest: [])
    case RecordKind.defaultUser:
      let rest = `protocol` + [0] + method + [0] + port + [0] + realm
      self = .keys(host: host, account: [], rest: rest)
    case RecordKind.logEntry:
      let rest = LogRecord.rest(id: id, generation: generation)
      self = .keys(host: host, account: account, rest: rest)
    default:
      guard id.count == 16 else { throw FieldReader.damaged("a record has no id to be found by") }
      self = .keys(
        host: kind == RecordKind.policyRule ? Self.rulesHost : [], account: [], rest: id)
    }
  }

  /// Returns only a record's key of level 0, which is the server if there is one.
  package static func host(
    kind: UInt8, _ bytes: [UInt8], _ body: Range<Int>
  ) throws(VaultError) -> [UInt8] {
    switch kind {
    case RecordKind.item, RecordKind.previousSecret, RecordKind.removedItem, RecordKind.tree,
      RecordKind.defaultUser, RecordKind.logEntry:
      var reader = FieldReader(bytes, body)
      guard let field = try reader.next(), field.tag == FieldTag.server.rawValue else { return [] }
      return Array(bytes[field.range])
    case RecordKind.policyRule:
      return rulesHost
    default:
      return []
    }
  }

  /// Returns a record's key at one level, without making those of the others where it is the host.
  package static func key(
    level: Int, kind: UInt8, _ bytes: [UInt8], _ body: Range<Int>
  ) throws(VaultError) -> [UInt8] {
    let hasHost =
      (RecordKind.item...RecordKind.tree).contains(kind) && kind != RecordKind.policyRule
    guard level == 0, hasHost else {
      return try Route(kind: kind, bytes, body).key(level: level)
    }
    return try host(kind: kind, bytes, body)
  }

  private static func rest(
    protocol: String, method: String, port: UInt16, path: String, realm: String
  ) -> [UInt8] {
    var bytes = Array(`protocol`.utf8) + [0]
    bytes += method.utf8
    bytes.append(0)
    port.appendLittleEndian(to: &bytes)
    bytes += path.utf8
    bytes.append(0)
    bytes += realm.utf8
    return bytes
  }
}
