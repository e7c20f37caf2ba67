import VaultCrypto
package import VaultModel

/// The default user of a protection space: a reference to a credential, never a copy.
///
/// Source: `Documentation/format.md` §6.2.
package struct DefaultRecord: Equatable {
  package let space: ProtectionSpace
  package var user: String
  /// The stored port: the space's own comes from a table that may grow.
  private let port: UInt16
  private var unknown: [UnknownField] = []

  package init(space: ProtectionSpace, user: String) {
    self.space = space
    self.user = user
    port = space.port
  }

  package init(decoding bytes: [UInt8], _ body: Range<Int>) throws(VaultError) {
    var host = HostName.unset
    var (user, realm) = ("", "")
    var (`protocol`, method) = (NetworkProtocol.unset, AuthenticationMethod.unset)
    var port: UInt16 = 0
    var reader = FieldReader(bytes, body)
    while let field = try reader.next() {
      switch FieldTag(rawValue: field.tag) {
      case .server: host = HostName(canonical: try reader.text(field))
      case .account: user = try reader.text(field)
      case .realm: realm = try reader.text(field)
      case .protocol: `protocol` = NetworkProtocol(rawValue: try reader.text(field))
      case .authenticationMethod:
        method = AuthenticationMethod(rawValue: try reader.text(field))
      case .port: port = try reader.number(field)
      default: unknown.append(reader.unknown(field))
      }
    }
    do throws(VaultError) {
      space = try ProtectionSpace(
        host: host, port: port, protocol: `protocol`, realm: realm, authenticationMethod: method)
    } catch {
      throw FieldReader.damaged("a default's space: \(error.context)")
    }
    self.user = user
    self.port = port
  }

  package var encoded: [UInt8] {
    var writer = FieldWriter(keeping: unknown, capacity: 128)
    writer.put(FieldTag.server, space.host.name)
    writer.put(FieldTag.account, user)
    writer.put(FieldTag.realm, space.realm)
    writer.put(FieldTag.protocol, space.protocol.rawValue)
    writer.put(FieldTag.authenticationMethod, space.authenticationMethod.rawValue)
    writer.put(FieldTag.port, port)
    return writer.finish()
  }
}
