import VaultModel

/// An interface to a vault of its own that is empty at first, in the words of the rows.
///
/// Each function throws a ``VaultError`` or a ``Refusal`` if the interface answers with an error.
protocol Driver: AnyObject {
  var place: VaultPlace { get }
  var store: Store { get }
  /// Adds an item to the driver's store.
  @discardableResult
  func add(_ attributes: Attributes, secret: String) throws -> Reference
  /// Returns the first of the items that match.
  func find(_ query: Attributes) throws -> Reference
  /// Returns all items that match, in their order.
  func findAll(_ query: Attributes) throws -> [Reference]
  /// Applies the named changes; nil keeps the secret.
  func modify(_ item: Reference, _ changes: Attributes, secret: String?) throws
  func remove(_ item: Reference) throws
  /// Returns an attribute as it is now; empty if it is unset.
  func read(_ attribute: Attribute, of item: Reference) throws -> String
  /// Returns the secret as it is now.
  func secret(of item: Reference) throws -> String
  func lock() throws
  func unlock() throws
}

/// The functions that only Swift and native C have.
protocol VaultDriver: Driver {
  func findUnique(_ query: Attributes) throws -> Reference
  func findAll(_ query: Attributes, _ options: FindOptions, limit: Int?) throws -> [Reference]
  /// Returns the matches among a single item.
  func findAll(_ item: Reference, and query: Attributes) throws -> [Reference]
  func count(_ query: Attributes) throws -> Int
  func upsert(_ attributes: Attributes, secret: String?) throws -> Reference
  func removeAll(_ query: Attributes) throws -> Int
  /// Adds an item that has expired.
  func addExpired(_ attributes: Attributes) throws -> Reference
  func revision(of item: Reference) throws -> UInt64
  func modify(_ item: Reference, _ changes: Attributes, ifRevision: UInt64) throws
}

struct FindOptions: OptionSet, Sendable {
  let rawValue: Int

  /// Server, protocol, port, realm and method are a protection space's.
  static let ofSpace = FindOptions(rawValue: 1)
  static let subdomains = FindOptions(rawValue: 2)
  static let secrets = FindOptions(rawValue: 4)
}

/// An item, as an interface refers to it.
class Reference {}

/// An error of the C interfaces, by the name that ``VaultError/Code`` gives the same error in
/// Swift.
struct Refusal: Error {
  let status: String
}

extension Driver {
  @discardableResult
  func add(_ attributes: Attributes) throws -> Reference { try add(attributes, secret: "one") }

  func modify(_ item: Reference, _ changes: Attributes) throws {
    try modify(item, changes, secret: nil)
  }

  /// Returns the accounts of all items that match, in their order.
  func accounts(_ query: Attributes = [:]) throws -> String {
    try accounts(findAll(query))
  }

  func accounts(_ items: [Reference]) throws -> String {
    try items.map { try read(.account, of: $0) }.joined(separator: " ")
  }

  /// Returns the account of the first item that matches, or the error.
  func first(_ query: Attributes) throws -> String {
    try attempt { try read(.account, of: find(query)) }
  }
}

/// Returns the result of an operation, or the name of its error.
func attempt(_ body: () throws -> String) throws -> String {
  do {
    return try body()
  } catch let error as VaultError {
    return error.code.description
  } catch let refusal as Refusal {
    return refusal.status
  }
}

/// Returns `ok`, or the name of the error.
func outcome(_ body: () throws -> Void) throws -> String {
  try attempt {
    try body()
    return "ok"
  }
}

/// Returns the observations, one after the other.
func seen(_ things: String...) -> String { things.joined(separator: ", ") }

/// An item, as a C interface refers to it.
///
/// Safe: the handle is only passed on, to functions that look handles up before they use them.
@safe class HandleReference: Reference {
  final let handle: OpaquePointer?

  init(_ handle: OpaquePointer?) { unsafe self.handle = unsafe handle }

  /// Calls `body` with the handle, which is good until it returns.
  @safe final func with<R>(_ body: (OpaquePointer?) throws -> R) rethrows -> R {
    try unsafe body(handle)
  }
}
