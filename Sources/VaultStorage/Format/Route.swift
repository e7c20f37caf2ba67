import VaultCrypto
import VaultModel

/// Where a record belongs: a key for each level of trees.
///
/// Source: `Documentation/format.md` §5.3.
struct Route: Equatable {
  static let levels = 0...2

  var host: [UInt8] = []
  var account: [UInt8] = []
  var rest: [UInt8] = []

  func key(level: Int) -> [UInt8] {
    switch level {
    case 0: host
    case 1: account
    default: rest
    }
  }

  init(_ key: InternetPassword.Key) {
    host = Array(key.server.name.utf8)
    account = Array(key.account.utf8)
    rest = Self.rest(
      protocol: key.protocol.rawValue, method: key.authenticationMethod.rawValue, port: key.port,
      path: key.path, realm: key.realm)
  }

  /// The route of a space's default.
  init(_ space: ProtectionSpace) {
    host = Array(space.host.name.utf8)
    rest = Self.rest(
      protocol: space.protocol.rawValue, method: space.authenticationMethod.rawValue,
      port: space.port, path: "", realm: space.realm)
  }

  /// Reads a record's route.
  init(kind: UInt8, _ bytes: [UInt8], _ body: Range<Int>) throws(VaultError) {
    var reader = FieldReader(bytes, body)
    var (`protocol`, method, path, realm) = ([UInt8](), [UInt8](), [UInt8](), [UInt8]())
    var (port, id): ([UInt8], [UInt8]) = ([0, 0], [])
    while let field = try reader.next(), field.tag <= FieldTag.id.rawValue {
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
      default: continue
      }
    }
    switch kind {
    case RecordKind.item, RecordKind.previousSecret, RecordKind.removedItem:
      rest = `protocol` + [0] + method + [0] + port + path + [0] + realm
    case RecordKind.defaultUser:
      account = []
      rest = `protocol` + [0] + method + [0] + port + [0] + realm
    case RecordKind.tree:
      rest = []
    default:
      guard id.count == 16 else { throw FieldReader.damaged("a record has no id to be found by") }
      (host, account, rest) = ([], [], id)
    }
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
