import VaultModel

/// The interface to a vault.
enum Interface: String, CaseIterable, Codable, Sendable {
  case swift
  case native
  case keychain
}

/// The place where items are kept.
enum Store: String, CaseIterable, Codable, Sendable {
  case file
  case session

  var persistence: Persistence { self == .file ? .permanent : .session }
}

/// An interface and a store.
struct Setup: Sendable, Hashable, Codable, CaseIterable {
  let interface: Interface
  let store: Store

  static let allCases = Interface.allCases.flatMap { interface in
    Store.allCases.map { Setup(interface: interface, store: $0) }
  }

  func makeDriver() throws -> any Driver {
    switch interface {
    case .swift: try SwiftDriver(store)
    case .native: try NativeDriver(store)
    case .keychain: try KeychainDriver(store)
    }
  }
}

/// Setups that a row may leave out.
enum Part: Sendable, Hashable {
  case interface(Interface)
  case store(Store)
  case setup(Interface, Store)

  static let swift = Part.interface(.swift)
  static let native = Part.interface(.native)
  static let session = Part.store(.session)
  /// The keychain's functions store permanently only, so the items that they add are never in the
  /// session.
  static let keychainSession = Part.setup(.keychain, .session)

  func contains(_ setup: Setup) -> Bool {
    switch self {
    case .interface(let interface): setup.interface == interface
    case .store(let store): setup.store == store
    case .setup(let interface, let store): setup == Setup(interface: interface, store: store)
    }
  }
}

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
