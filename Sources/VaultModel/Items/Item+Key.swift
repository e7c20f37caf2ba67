extension Item {
  /// The attributes that make an item unique in a vault, compared on bytes: seven of an internet
  /// password, service and account of a generic one, and of both the `variant`.
  ///
  /// Absent, empty and 0 are one value. Keys sort part by part in the order of the initializer's
  /// parameters, text by its bytes with a prefix first, the port by its number; an encrypted
  /// protocol sorts before all others, so that no lookup prefers the item of a plain one.
  public struct Key: Sendable {
    /// The user name.
    public var account: String
    /// The realm, which Apple calls the security domain.
    public var realm: String
    /// The server; of a generic password, its service.
    public var server: HostName
    /// The protocol.
    public var `protocol`: NetworkProtocol
    /// The authentication method, literal: `default` is not unset.
    public var authenticationMethod: AuthenticationMethod
    /// The path, literal.
    public var path: String
    /// The custom attributes whose names begin with ``variantPrefix``, as one text; empty in keys
    /// that were not taken from an item.
    ///
    /// Other keychains tell items apart by more than a vault does. No lookup for a space or a
    /// request looks at it.
    package internal(set) var variant = ""
    // The port is last in memory, so that an item's small attributes fill the word.

    /// The port, literal: 0 is unset, never the protocol's default.
    public var port: UInt16
    /// The class of the item.
    public private(set) var itemClass = ItemClass.internetPassword

    /// Creates the key of an internet password; a part that is not given is unset, and the method
    /// is then `default`.
    public init(
      account: String = "", realm: String = "", server: HostName = .unset,
      protocol: NetworkProtocol = .unset, authenticationMethod: AuthenticationMethod = .default,
      port: UInt16 = 0, path: String = ""
    ) {
      self.account = account
      self.realm = realm
      self.server = server
      self.protocol = `protocol`
      self.authenticationMethod = authenticationMethod
      self.port = port
      self.path = path
    }

    /// Creates the key of a generic password; a part that is empty is unset.
    public init(service: String, account: String) {
      self.init(
        account: account, server: HostName(canonical: service), authenticationMethod: .unset)
      itemClass = .genericPassword
    }
  }
}

extension Item.Key {
  /// The service of a generic password, which may be any text: `backup`, `com.example.app`; empty
  /// for an item of another class.
  ///
  /// Setting it makes the key that of a generic password.
  public var service: String {
    get { itemClass == .genericPassword ? server.name : "" }
    set {
      var key = Self(service: newValue, account: account)
      key.variant = variant
      self = key
    }
  }

  /// The other key for the same place: with its port unset if that is the protocol's default, and
  /// the default if it is unset; nil if there is none.
  ///
  /// A space or a URL means both.
  package var withOtherPort: Self? {
    guard let defaultPort = `protocol`.defaultPort, port == 0 || port == defaultPort else {
      return nil
    }
    var other = self
    other.port = port == 0 ? defaultPort : 0
    return other
  }
}

extension Item.Key: Hashable, Comparable {
  /// Returns whether all parts have the same bytes, in items of one class.
  public static func == (left: Self, right: Self) -> Bool {
    left.port == right.port && left.itemClass == right.itemClass
      && left.account.hasSameBytes(as: right.account)
      && left.server == right.server && left.realm.hasSameBytes(as: right.realm)
      && left.protocol == right.protocol
      && left.authenticationMethod == right.authenticationMethod
      && left.path.hasSameBytes(as: right.path) && left.variant.hasSameBytes(as: right.variant)
  }

  /// Returns whether the first key sorts before the second.
  public static func < (left: Self, right: Self) -> Bool {
    left.compare(right) < 0
  }

  /// Hashes the bytes of all parts.
  public func hash(into hasher: inout Hasher) {
    account.hashBytes(into: &hasher)
    realm.hashBytes(into: &hasher)
    hasher.combine(server)
    hasher.combine(`protocol`)
    hasher.combine(authenticationMethod)
    hasher.combine(port)
    path.hashBytes(into: &hasher)
    variant.hashBytes(into: &hasher)
    hasher.combine(itemClass)
  }

  /// Returns a negative number, 0 or a positive one as this key sorts before, with or after the
  /// other.
  func compare(_ other: Self) -> Int {
    var order = account.compareBytes(other.account)
    if order == 0 { order = realm.compareBytes(other.realm) }
    if order == 0 { order = server.name.compareBytes(other.server.name) }
    if order == 0 { order = `protocol`.compare(other.protocol) }
    if order == 0 {
      order = authenticationMethod.rawValue.compareBytes(other.authenticationMethod.rawValue)
    }
    if order == 0 { order = Int(port) - Int(other.port) }
    if order == 0 { order = path.compareBytes(other.path) }
    if order == 0 { order = variant.compareBytes(other.variant) }
    if order == 0 { order = Int(itemClass.rawValue) - Int(other.itemClass.rawValue) }
    return order
  }
}

extension Item.Key {
  /// The beginning of the names of custom attributes that are parts of the key.
  package static let variantPrefix = "key:"

  /// Returns the variant of an item with these custom attributes: equal ones have equal texts.
  static func variant(of custom: [String: String]) -> String {
    // Most names end at the first byte: all of an import's items come here several times.
    let first = variantPrefix.utf8.first
    let names = custom.keys.filter {
      $0.utf8.first == first && $0.utf8.starts(with: variantPrefix.utf8)
    }
    guard !names.isEmpty else { return "" }
    // No name or value holds NUL.
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      .map { "\($0)\0\(custom[$0, default: ""])\0" }.joined()
  }
}

extension NetworkProtocol {
  /// Compares encrypted protocols before others, and then by their names.
  fileprivate func compare(_ other: Self) -> Int {
    let order = rawValue.compareBytes(other.rawValue)
    guard order != 0, isEncrypted != other.isEncrypted else { return order }
    return isEncrypted ? -1 : 1
  }
}

extension Item.Key {
  /// The space in which an item with this key is used; nil without a server.
  package var space: ProtectionSpace? {
    guard itemClass == .internetPassword else { return nil }
    do throws(VaultError) {
      return try ProtectionSpace(
        host: server, port: port, protocol: `protocol`, realm: realm,
        authenticationMethod: authenticationMethod)
    } catch {
      return nil
    }
  }
}

extension Item {
  /// The space in which the item is used; nil without a server.
  package var space: ProtectionSpace? { key.space }
}

extension Item {
  /// Whether the key has more than the seven parts.
  package var isVariant: Bool { !key.variant.isEmpty }
}

extension Item: Identifiable {}

extension Item: CustomStringConvertible {
  /// The item without its secret: `ann at https://git.example.com "Team Git", permanent`, or
  /// `ann at the service "backup", permanent`.
  ///
  /// An internet password without a server is shown by its label. Others may have chosen these
  /// texts, so quotes, control and formatting characters are escaped.
  public var description: String {
    let user = account.isEmpty ? "" : "\(account.escaped) at "
    let place =
      switch key.itemClass {
      case .internetPassword: space.map { "\($0)" } ?? "\"\(label.escaped)\""
      case .genericPassword: "the service \"\(service.escaped)\""
      }
    return user + place + (path.isEmpty ? "" : ", path \(path.escaped)") + ", \(persistence)"
  }
}
