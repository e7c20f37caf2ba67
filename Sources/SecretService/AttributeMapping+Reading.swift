import CredentialVault
import Interchange
import VaultModel

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
