public import SecureMemory
public import VaultModel

/// A server as Docker names it: a text that is compared byte for byte.
///
/// `registry.example.com:5000`, `http://registry.example.com:5000` and
/// `https://registry.example.com:5000` are three servers, and Docker Hub has several URLs, each
/// with a credential of its own. An item has the text in a custom attribute; the parts of its key
/// come from the text, so that people and networking code find it by its host.
public struct DockerServer: Sendable {
  /// The origin of Docker's items; no other item is shown to Docker or changed by it.
  package static let origin = "docker"
  /// The custom attribute that holds ``text``.
  public static let attribute = "docker.server-url"
  /// The path of a registry's API, to which its password belongs: a Git server may have the same
  /// host.
  private static let registryPath = "v2"

  /// The text as Docker has it.
  public let text: String
  /// The URL that it means; nil if it means none.
  private let url: URLReference?

  /// Reads a text; one that is not an address is also a server.
  public init(_ text: String) {
    self.text = text
    do throws(VaultError) {
      let url = try URLReference(text.contains("://") ? text : "https://" + text)
      // A user would be the credential's, and not a part of its server.
      self.url = url.user == nil && !url.host.isUnset ? url : nil
    } catch {
      url = nil
    }
  }

  /// The host of its items; unset if it is not an address.
  package var host: HostName { url?.host ?? .unset }

  /// The query that finds its items, and others of the host.
  package var query: ItemQuery {
    var query = ItemQuery()
    query.server = .equals(host)
    query.origin = .equals(Self.origin)
    return query
  }

  /// Returns whether an item is the server's.
  package func owns(_ item: Item) -> Bool {
    DockerServer(of: item).map { $0.text.utf8.elementsEqual(text.utf8) } ?? false
  }

  /// Creates the server of an item; nil if it is not Docker's.
  ///
  /// An item of this origin that a person added has the host and port that Docker uses for a
  /// registry, or with another path the URL that ends with a slash, as Docker Hub's does.
  public init?(of item: Item) {
    guard item.origin == Self.origin else { return nil }
    if let text = item.custom[Self.attribute], !text.isEmpty {
      self.init(text)
      // The host was changed since, so that the item is no longer found by the text.
      guard host == item.server else { return nil }
    } else {
      guard !item.server.isUnset else { return nil }
      let name = item.server.name.contains(":") ? "[\(item.server.name)]" : item.server.name
      let authority = item.port == 0 ? name : "\(name):\(item.port)"
      let path = String(item.path.trimmingSlashes)
      self.init(
        path.isEmpty || path == Self.registryPath
          ? authority : "\(item.protocol)://\(authority)/\(path)/")
    }
  }

  /// Returns a new item for the server.
  ///
  /// - Parameters:
  ///   - user: The user, `<token>` if the secret is an identity token.
  ///   - secret: The secret.
  ///   - isTaken: Whether the vault has an item of this key.
  /// - Returns: An item whose key is the server's own.
  /// - Throws: Any error of `isTaken`.
  public func item(
    user: String, _ secret: Secret, isTaken: (Item.Key) throws(VaultError) -> Bool
  ) throws(VaultError) -> Item {
    var item = Item(
      server: host, account: user, secret: secret, protocol: url?.protocol ?? .unset,
      port: url?.port ?? 0,
      path: url.map { $0.path.isEmpty ? Self.registryPath : $0.path } ?? "",
      authenticationMethod: user == Self.tokenUser ? .bearer : .default)
    item.secretKind = Self.kind(of: user)
    item.origin = Self.origin
    item.custom[Self.attribute] = text
    // Another text can have the same parts. As a realm it makes the key its own.
    let hasOwnKey = try url != nil ? !isTaken(item.key) : false
    if !hasOwnKey { item.realm = text }
    return item
  }

  /// The user with whom Docker stores an identity token.
  private static let tokenUser = "<token>"

  /// Returns the kind of a user's secret.
  package static func kind(of user: String) -> SecretKind { user == tokenUser ? .token : .password }
}

extension String {
  /// The text without the slashes at its beginning and end.
  fileprivate var trimmingSlashes: Substring {
    var rest = drop { $0 == "/" }
    while rest.last == "/" { rest.removeLast() }
    return rest
  }
}
