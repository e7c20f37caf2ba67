import Interchange
import VaultModel

/// The attributes of an item, by which clients find it.
///
/// Its fields tell most of them. An attribute that a client wrote and no field tells, or that a
/// field tells in another spelling, is a custom attribute of its name. It counts for as long as it
/// means the field, which others may change.
extension Item {
  /// The custom attribute with the names of what an item tells unless a client has left it out.
  private static let unwritten = AttributeMapping.ownPrefix + "unwritten"

  /// The fields by their attributes' names, also those that are not set.
  var fields: [String: String] {
    switch key.itemClass {
    case .internetPassword:
      if let dockerServer { return ["server": dockerServer.text, "username": account] }
      let (port, method) = (port, authenticationMethod)
      let isDefault = port == 0 || port == self.protocol.defaultPort
      return [
        "server": server.name, "protocol": self.protocol.rawValue, "user": account,
        "domain": realm, "object": path, "port": isDefault ? "" : String(port),
        "authtype": method == .default ? "" : method.rawValue,
      ]
    case .genericPassword:
      if isOfAttributes { return [:] }
      if isOfChromium { return ["application": account] }
      return ["service": service, "username": account]
    }
  }

  /// The attributes that go without saying, so that a client may leave them out.
  private var implied: [String: String] {
    guard key.itemClass == .internetPassword else { return [:] }
    if dockerServer != nil {
      return [
        AttributeMapping.schema: AttributeMapping.docker, "docker_cli": "1",
        "label": "Docker Credentials",
      ]
    }
    let port = port == self.protocol.defaultPort ? ["port": String(port)] : [:]
    return port.merging([AttributeMapping.schema: AttributeMapping.network]) { $1 }
  }

  /// The attributes of an item whose attributes no client wrote.
  private var told: [String: String] {
    implied.merging(fields.filter { !$0.value.isEmpty || $0.key == "username" }) { $1 }
  }

  /// Docker's server; nil if the item is not Docker's.
  var dockerServer: DockerServer? {
    key.itemClass == .internetPassword ? DockerServer(of: self) : nil
  }

  private var isOfChromium: Bool {
    custom[AttributeMapping.schema]?.hasPrefix(AttributeMapping.chromium) ?? false
  }

  /// The attributes as clients see them.
  var attributes: [String: String] {
    var attributes = told
    for name in custom[Self.unwritten]?.split(separator: " ").map(String.init) ?? []
    where implied[name] != nil {
      attributes[name] = nil
    }
    for (name, value) in written where means(name, value) ?? true { attributes[name] = value }
    return attributes
  }

  /// The custom attributes that are a client's.
  private var written: [String: String] {
    let isOfDocker = dockerServer != nil
    return custom.filter { name, _ in
      !name.hasPrefix(AttributeMapping.ownPrefix)
        && !(isOfDocker && name == DockerServer.attribute)
    }
  }

  /// Returns the item with custom attributes by which its attributes are those that a client wrote.
  func writing(_ attributes: [String: String]) -> Item {
    var item = self
    for name in written.keys where attributes[name] == nil { item.custom[name] = nil }
    let told = told
    for (name, value) in attributes {
      let isTold = told[name]?.hasSameBytes(as: value) ?? false
      item.custom[name] = isTold ? nil : value
    }
    let unwritten = implied.keys.filter { attributes[$0] == nil }.sorted()
    item.custom[Self.unwritten] = unwritten.isEmpty ? nil : unwritten.joined(separator: " ")
    return item
  }

  /// Returns whether a set of attributes would be this item, apart from its collection: its key
  /// means the same, and a client's attributes without a field are the same.
  func isSame(as new: Item) -> Bool {
    guard key.itemClass == .internetPassword, new.key.itemClass == .internetPassword else {
      return false
    }
    let others = [self, new].map { item in
      item.written.filter { item.means($0.key, $0.value) == nil }
    }
    guard others[0].hasSameBytes(as: others[1]), account.hasSameBytes(as: new.account) else {
      return false
    }
    let servers = (dockerServer?.text, new.dockerServer?.text)
    guard servers.0 == nil, servers.1 == nil else { return servers.0 == servers.1 }
    return server == new.server && self.protocol == new.protocol
      && realm.hasSameBytes(as: new.realm)
      && authenticationMethod == new.authenticationMethod && hasPort(new.port)
      && AttributeMapping.trimmed(path).hasSameBytes(as: AttributeMapping.trimmed(new.path))
  }

  /// Returns whether an item has all the attributes that are asked for.
  func matches(_ wanted: [String: String]) -> Bool {
    let attributes = attributes
    return wanted.allSatisfy { name, value in
      attributes[name]?.hasSameBytes(as: value) ?? false || means(name, value) ?? false
    }
  }

  /// Returns whether a text means the same as the field of an attribute, in any spelling; nil if
  /// the attribute has no field.
  private func means(_ name: String, _ value: String) -> Bool? {
    switch key.itemClass {
    case .internetPassword:
      guard let dockerServer else { return meansOfNetwork(name, value) }
      return switch name {
      case "server": dockerServer.text.hasSameBytes(as: value)
      case "username": account.hasSameBytes(as: value)
      case AttributeMapping.schema: value == AttributeMapping.docker
      default: nil
      }
    case .genericPassword:
      if isOfAttributes { return nil }
      return switch (name, isOfChromium) {
      case ("service", false): service.hasSameBytes(as: value)
      case ("username", false), ("application", true): account.hasSameBytes(as: value)
      default: nil
      }
    }
  }

  private func meansOfNetwork(_ name: String, _ value: String) -> Bool? {
    do throws(VaultError) {
      return switch name {
      case "server": try HostName(value) == server
      case "protocol": try NetworkProtocol(value) == self.protocol
      case "user": account.hasSameBytes(as: value)
      case "domain": realm.hasSameBytes(as: value)
      case "port": AttributeMapping.port(value).map(hasPort) ?? false
      case "object":
        AttributeMapping.trimmed(value).hasSameBytes(as: AttributeMapping.trimmed(path))
      case "authtype": try AttributeMapping.method(value) == authenticationMethod
      case AttributeMapping.schema:
        AttributeMapping.none.contains(value) || AttributeMapping.networks.contains(value)
      default: nil
      }
    } catch {
      return false
    }
  }

  /// Returns whether a port is the item's; an unset one is the protocol's default.
  func hasPort(_ port: UInt16) -> Bool {
    let ports = [port, self.port].map { $0 == 0 ? self.protocol.defaultPort ?? 0 : $0 }
    return ports[0] == ports[1]
  }
}

extension [String: String] {
  /// Returns whether both have the same texts, by their bytes.
  func hasSameBytes(as other: [String: String]) -> Bool {
    count == other.count && allSatisfy { other[$0.key]?.hasSameBytes(as: $0.value) ?? false }
  }
}
