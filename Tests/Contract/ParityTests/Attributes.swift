/// An attribute, by the name that rows use.
enum Attribute: Sendable, CaseIterable {
  // The key, in its order.
  case account, realm, server, `protocol`, method, port, path
  // Attributes that are not in the key.
  case label, comment, kind, creator, type, invisible, negative
  // Attributes that the store sets.
  case created, modified

  static let key: [Attribute] = [.account, .realm, .server, .protocol, .method, .port, .path]
}

/// Attributes that are named, each with its value as text: a number in decimal digits, a code in
/// four characters, a flag as `1`.
///
/// Empty text is a value that is named and unset.
typealias Attributes = [Attribute: String]

extension Attributes {
  static let ann: Attributes = [
    .account: "ann", .server: "git.example.com", .realm: "Team Git", .protocol: "https",
    .method: "basic", .port: "8443", .path: "/team",
  ]
  static let bob = ann.with(.account, "bob")

  /// Returns an account of a server, and nothing else.
  static func user(_ account: String, on server: String = "git.example.com") -> Attributes {
    [.account: account, .server: server]
  }

  func with(_ attribute: Attribute, _ value: String) -> Attributes {
    merging([attribute: value]) { $1 }
  }

  func without(_ attribute: Attribute) -> Attributes {
    filter { $0.key != attribute }
  }
}
