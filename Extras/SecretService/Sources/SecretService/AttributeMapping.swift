import Interchange
import CSecretServiceCrypto
import CredentialVault
import SecureMemory
import VaultModel

/// The mapping between attributes of the Secret Service and those of a vault's items.
///
/// Known schemas are the fields of the items that Git, Docker and networking code find: what a
/// program of the desktop stores is theirs, and the reverse. Every other set of attributes is a
/// generic password of its own, with the set as custom attributes and its digest as key, so that
/// equal sets are one item.
enum AttributeMapping {
  static let schema = "xdg:schema"
  static let network = "org.gnome.keyring.NetworkPassword"
  static let networks: Set<String> = [network, "org.git.Password"]
  static let docker = "io.docker.Credentials"
  /// No schema, and that which GNOME Keyring writes for none.
  static let none: Set<String> = ["", "org.freedesktop.Secret.Generic"]
  static let chromium = "chrome_libsecret_os_crypt_password_v"

  /// The start of the names of custom attributes that only this program reads.
  static let ownPrefix = "secret-service."
  static let origin = "secret-service"
  /// The start of the service of an item whose attributes mean nothing to the vault, before the
  /// name of its schema.
  static let servicePrefix = "secret-service:"
  /// The services of what is kept for the service itself: its collections, and the portal's
  /// secrets.
  static let reserved: Set<String> = [CollectionStore.service, SecretService.portalService]

  /// Returns the item that a set of attributes means, with the attributes as they were written and
  /// without its secret.
  static func item(for attributes: [String: String]) -> Item {
    let item =
      switch attributes[schema] ?? "" {
      case docker: dockerItem(attributes)
      case let name where none.contains(name) || networks.contains(name): networkItem(attributes)
      case let name where name.hasPrefix(chromium): chromiumItem(attributes)
      default: Item?.none
      }
    return (item ?? serviceItem(attributes))?.writing(attributes) ?? unmapped(attributes)
  }

  /// Returns the item of a set that means nothing to the vault.
  static func unmapped(_ attributes: [String: String]) -> Item {
    generic(servicePrefix + (attributes[schema] ?? ""), digest(attributes))
      .writing(attributes)
  }

  private static func generic(_ service: String, _ account: String) -> Item {
    var item = Item(service: service, account: account)
    item.origin = origin
    return item
  }

  private static func networkItem(_ attributes: [String: String]) -> Item? {
    guard let server = attributes["server"], let name = attributes["protocol"],
      let port = port(attributes["port"] ?? "")
    else { return nil }
    do throws(VaultError) {
      let server = try HostName(server)
      guard !server.isUnset else { return nil }
      var item = Item(
        server: server, account: attributes["user"] ?? "", protocol: try NetworkProtocol(name),
        port: port, realm: attributes["domain"] ?? "", path: trimmed(attributes["object"] ?? ""),
        authenticationMethod: try method(attributes["authtype"] ?? ""))
      item.origin = origin
      return item
    } catch {
      // Not the address of a server: the set stays as it is.
      return nil
    }
  }

  private static func dockerItem(_ attributes: [String: String]) -> Item? {
    // The name of the attribute in which Docker's text is kept is no client's.
    guard let text = attributes["server"], let user = attributes["username"], !text.isEmpty,
      !user.isEmpty, attributes[DockerServer.attribute] == nil
    else { return nil }
    // The secret is given later, and so is a realm, if another text has the same key.
    do throws(VaultError) {
      let isTaken = { (_: Item.Key) throws(VaultError) in false }
      return try DockerServer(text).item(user: user, Secret(""), isTaken: isTaken)
    } catch {
      // unreachable: nothing above throws.
      return nil
    }
  }

  private static func chromiumItem(_ attributes: [String: String]) -> Item? {
    guard attributes.count == 2, let program = attributes["application"] else { return nil }
    let service = program.prefix(1).uppercased() + program.dropFirst() + " Safe Storage"
    var item = generic(service, program)
    // By the schema it is known that the account is the application.
    item.custom[schema] = attributes[schema]
    return item
  }

  private static func serviceItem(_ attributes: [String: String]) -> Item? {
    guard none.contains(attributes[schema] ?? ""), let service = attributes["service"],
      let user = attributes["username"], isFree(service),
      Set(attributes.keys).isSubset(of: ["service", "username", "application", schema])
    else { return nil }
    return generic(service, user)
  }

  /// Returns whether a client's item may be of a service.
  private static func isFree(_ service: String) -> Bool {
    !service.isEmpty && !service.hasPrefix(servicePrefix) && !reserved.contains(service)
  }

  /// Returns the number of a port, 0 for no text; nil for a text that is none.
  static func port(_ text: String) -> UInt16? {
    guard !text.isEmpty else { return 0 }
    return UInt16(text).flatMap { String($0) == text ? $0 : nil }
  }

  /// Returns the method of a text; no text is the default.
  static func method(_ text: String) throws(VaultError) -> AuthenticationMethod {
    text.isEmpty ? .default : try AuthenticationMethod(text)
  }

  /// Returns a path as the vault has it, without a slash at its beginning.
  static func trimmed(_ path: String) -> String { String(path.drop { $0 == "/" }) }

  /// Returns a digest in which no two sets are the same text.
  static func digest(_ attributes: [String: String]) -> String {
    var bytes: [UInt8] = []
    for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
      for text in [name, value] {
        bytes += Array("\(text.utf8.count):".utf8) + Array(text.utf8)
      }
    }
    var digest = [UInt8](repeating: 0, count: 32)
    // Both arrays are as long as is said, and SHA-256 has 32 bytes.
    let status = unsafe EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
    precondition(status == 1, "SHA-256 is missing")
    return digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}
