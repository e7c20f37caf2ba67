import CCrypto
import CredentialVault
import Interchange
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
  private static let texts: Set<String> = ["", "org.freedesktop.Secret.Generic"]
  static let chromium = "chrome_libsecret_os_crypt_password_v"

  /// The start of the names of custom attributes that only this program reads.
  static let ownPrefix = "secret-service."
  static let origin = "secret-service"

  /// Returns the item that a set of attributes means, without its secret.
  static func item(for attributes: [String: String]) -> StoredItem {
    let name = attributes[schema] ?? ""
    if name == docker {
      if let item = dockerItem(attributes) { return item }
    } else if name.isEmpty || networks.contains(name) {
      if let item = networkItem(attributes) { return item }
    }
    if name.hasPrefix(chromium), attributes.count == 2, let program = attributes["application"] {
      let service = program.prefix(1).uppercased() + program.dropFirst() + " Safe Storage"
      return generic(service, program, without(attributes, ["application"]))
    }
    if texts.contains(name), let service = attributes["service"],
      let user = attributes["username"], StoredItem.isFree(service),
      Set(attributes.keys).isSubset(of: ["service", "username", "application", schema])
    {
      return generic(service, user, without(attributes, ["service", "username"]))
    }
    return unmapped(attributes)
  }

  /// Returns the item of a set that means nothing to the vault.
  static func unmapped(_ attributes: [String: String]) -> StoredItem {
    generic(StoredItem.prefix + (attributes[schema] ?? ""), digest(attributes), attributes)
  }

  private static func generic(
    _ service: String, _ account: String, _ custom: [String: String]
  ) -> StoredItem {
    var item = GenericPassword(service: service, account: account)
    (item.custom, item.origin) = (custom, origin)
    return .generic(item)
  }

  private static func networkItem(_ attributes: [String: String]) -> StoredItem? {
    guard let text = attributes["server"], attributes["protocol"] != nil else { return nil }
    var rest = attributes
    do throws(VaultError) {
      let server = try HostName(text)
      guard !server.isUnset else { return nil }
      var item = InternetPassword(
        server: server, account: rest.removeValue(forKey: "user") ?? "",
        protocol: try NetworkProtocol(rest.removeValue(forKey: "protocol") ?? ""),
        realm: rest.removeValue(forKey: "domain") ?? "",
        path: trimmed(rest.removeValue(forKey: "object") ?? ""))
      rest["server"] = nil
      if let port = rest["port"].flatMap({ UInt16($0) }), String(port) == rest["port"] {
        item.port = port
        rest["port"] = nil
      }
      if let method = rest.removeValue(forKey: "authtype") {
        item.authenticationMethod = try AuthenticationMethod(method)
      }
      if rest[schema] == network { rest[schema] = nil }
      (item.custom, item.origin) = (rest, origin)
      return .internet(item)
    } catch {
      // Not the address of a server: the set stays as it is.
      return nil
    }
  }

  private static func dockerItem(_ attributes: [String: String]) -> StoredItem? {
    guard let text = attributes["server"], let user = attributes["username"], !text.isEmpty,
      !user.isEmpty
    else { return nil }
    // The secret is given later, and so is a realm, if another text has the same key.
    do throws(VaultError) {
      var item = try DockerServer(text).item(user: user, Secret("")) { _ throws(VaultError) in false
      }
      item.custom.merge(without(attributes, ["server", "username", schema])) { own, _ in own }
      return .internet(item)
    } catch {
      // unreachable: nothing above throws.
      return nil
    }
  }

  private static func without(
    _ attributes: [String: String], _ names: [String]
  ) -> [String: String] {
    attributes.filter { !names.contains($0.key) }
  }

  /// Returns a digest in which no two sets are the same text.
  private static func digest(_ attributes: [String: String]) -> String {
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
    return digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Returns a path as the vault has it, without a slash at its beginning.
  static func trimmed(_ path: String) -> String { String(path.drop { $0 == "/" }) }
}

/// From the vault's items to the attributes by which clients find them.
extension AttributeMapping {
  /// Returns the attributes of an item: those that it was given, and its fields that are set.
  static func attributes(of item: StoredItem) -> [String: String] {
    fields(of: item).filter { name, value in
      !value.isEmpty || name == "username" || item.custom[name] != nil
    }
  }

  /// Returns the attributes of an item, and all of its fields.
  private static func fields(of item: StoredItem) -> [String: String] {
    var attributes = item.custom.filter { !$0.key.hasPrefix(ownPrefix) }
    switch item {
    case .internet(let password):
      if let server = DockerServer(of: password) {
        attributes[DockerServer.attribute] = nil
        attributes["server"] = server.text
        attributes["username"] = password.account
        attributes[schema] = docker
        if attributes["docker_cli"] == nil { attributes["docker_cli"] = "1" }
        if attributes["label"] == nil { attributes["label"] = "Docker Credentials" }
        return attributes
      }
      attributes["server"] = password.server.name
      attributes["protocol"] = password.protocol.rawValue
      attributes["user"] = password.account
      attributes["domain"] = password.realm
      attributes["object"] = password.path
      if password.port != 0 { attributes["port"] = String(password.port) }
      if password.authenticationMethod != .default {
        attributes["authtype"] = password.authenticationMethod.rawValue
      }
      if attributes[schema] == nil { attributes[schema] = network }
    case .generic(let password):
      if item.isOfAttributes { return attributes }
      if attributes[schema]?.hasPrefix(chromium) == true {
        attributes["application"] = password.account
      } else {
        attributes["service"] = password.service
        attributes["username"] = password.account
      }
    }
    return attributes
  }

  /// Returns whether an item has all the attributes that are asked for.
  static func matches(_ item: StoredItem, _ wanted: [String: String]) -> Bool {
    let fields = fields(of: item)
    return wanted.allSatisfy { name, value in
      // An empty text is a field that is not set, and no attribute that the item does not have.
      if let own = fields[name], own.utf8.elementsEqual(value.utf8) { return true }
      guard case .internet(let password) = item, fields[schema] != docker else { return false }
      return isSame(name, value, of: password)
    }
  }

  /// Returns whether a text means the same field in another spelling.
  private static func isSame(
    _ name: String, _ value: String, of item: InternetPassword
  ) -> Bool {
    do throws(VaultError) {
      switch name {
      case "server": return try HostName(value) == item.server
      case "protocol": return try NetworkProtocol(value) == item.protocol
      case "port":
        return item.port == 0 && value == item.protocol.defaultPort.map { String($0) }
      case "object": return trimmed(value).utf8.elementsEqual(trimmed(item.path).utf8)
      case "authtype":
        return try AuthenticationMethod(value) == item.authenticationMethod
      case schema: return networks.contains(value)
      default: return false
      }
    } catch {
      return false
    }
  }

  /// Returns the host by which a search can be narrowed; nil if it names none.
  static func host(in attributes: [String: String]) -> HostName? {
    guard let text = attributes["server"] else { return nil }
    let host = DockerServer(text).host
    return host.isUnset ? nil : host
  }
}
