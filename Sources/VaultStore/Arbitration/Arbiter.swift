public import VaultModel

/// Decides which of a vault's replicas writes next, and keeps the same sealed rows as they do.
///
/// Nothing that it sends is trusted: a replica verifies what it gets as it verifies its own file.
/// The protocol knows no SQL, since an arbiter may also keep its rows as objects.
///
/// Source: `Documentation/fleet.md`.
public protocol Arbiter: AnyObject, Sendable {
  /// Returns the head, and the rows that commits after a generation wrote, all of one moment.
  ///
  /// - Throws: ``VaultError/Code/unavailable``, ``VaultError/Code/configuration``.
  func rows(after generation: UInt64) throws(VaultError) -> RowDelta

  /// Returns the head and the slots, with which a key can be tried.
  ///
  /// - Throws: As ``rows(after:)``.
  func opening() throws(VaultError) -> RowDelta

  /// Passes on a whole vault as it comes, all of one moment, so that it need not be in memory.
  ///
  /// - Parameters:
  ///   - head: Gets the head without rows, once, before all rows.
  ///   - row: Gets each row, in the order of tables and ids.
  /// - Throws: The errors of both; as ``rows(after:)``.
  func copy(
    head: (RowDelta) throws(VaultError) -> Void, row: (RowDelta.Entry) throws(VaultError) -> Void
  ) throws(VaultError)

  /// Takes the lock of the next writer, and returns rows as ``rows(after:)`` does.
  ///
  /// The lock ends with ``commit(_:)`` or ``abandon()``.
  ///
  /// - Throws: ``VaultError/Code/busy`` if others hold the lock for too long; as ``rows(after:)``.
  func begin(after generation: UInt64) throws(VaultError) -> RowDelta

  /// Tells others that the holder of the lock goes on with a long change.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if the lock has ended.
  func keepLock() throws(VaultError)

  /// Stores what the holder of the lock wrote, durably, and ends the lock.
  ///
  /// - Throws: ``VaultError/Code/outcomeUnknown`` if the connection was lost when it may have been
  ///   stored; after any other error, nothing is stored.
  func commit(_ delta: RowDelta) throws(VaultError)

  /// Ends the lock, and stores nothing.
  func abandon()

  /// Stores a whole vault that the arbiter does not have yet.
  ///
  /// - Throws: ``VaultError/Code/vaultExists``; as ``commit(_:)``.
  func publish(_ vault: RowDelta) throws(VaultError)
}

extension Arbiter {
  /// Does nothing, for an arbiter whose lock has no limit of time.
  public func keepLock() throws(VaultError) {}

  /// Takes the slots out of all rows.
  ///
  /// - Throws: As ``Arbiter/rows(after:)``.
  public func opening() throws(VaultError) -> RowDelta {
    var vault = try rows(after: 0)
    vault.rows.removeAll { $0.table != .slot }
    vault.rows.sort { $0.id < $1.id }
    return vault
  }

  /// Passes on all rows, which are in memory.
  ///
  /// - Parameters:
  ///   - head: Gets the head.
  ///   - row: Gets each row.
  /// - Throws: The errors of both; as ``Arbiter/rows(after:)``.
  public func copy(
    head: (RowDelta) throws(VaultError) -> Void, row: (RowDelta.Entry) throws(VaultError) -> Void
  ) throws(VaultError) {
    let vault = try rows(after: 0)
    try head(vault)
    let rows = vault.rows.sorted { ($0.table.rawValue, $0.id) < ($1.table.rawValue, $1.id) }
    for entry in rows { try row(entry) }
  }
}

/// The sealed rows that lead from one generation of a vault to another, byte for byte.
public struct RowDelta: Sendable {
  /// A table that replicas have in common; the numbers are the arbiter's.
  public enum Table: Int16, Sendable, CaseIterable {
    case slot = 1
    case node = 2

    /// Returns the table with a name; nil for one that no replica has.
    init?(named name: String) {
      switch name {
      case "slot": self = .slot
      case "node": self = .node
      default: return nil
      }
    }
  }

  /// A row, with nil for one that was removed.
  public struct Entry: Sendable {
    /// Its table.
    public let table: Table
    /// Its id in the table.
    public let id: UInt64
    /// Its bytes, which only the vault's key opens; nil for one that was removed.
    public let sealed: [UInt8]?

    /// Creates a row.
    public init(_ table: Table, _ id: UInt64, _ sealed: [UInt8]?) {
      (self.table, self.id, self.sealed) = (table, id, sealed)
    }
  }

  /// The generation of the head.
  public var generation: UInt64
  /// The vault's header, `Documentation/format.md` §3.
  public var ident: [UInt8]
  /// The sealed head, `Documentation/format.md` §7.
  public var head: [UInt8]
  /// The rows that were written or removed.
  public var rows: [Entry]
  /// Whether these are all rows of the vault, so that every other one was removed.
  var isWhole = false

  /// Creates what leads to a generation.
  public init(generation: UInt64, ident: [UInt8], head: [UInt8], rows: [Entry]) {
    (self.generation, self.ident, self.head, self.rows) = (generation, ident, head, rows)
  }
}

extension VaultError {
  /// Whether the error is about the state that an arbiter has, compared with the replica.
  public var isAboutArbiter: Bool { subject == .arbiter }

  /// The same error, about the state that an arbiter has.
  public var aboutArbiter: VaultError { about(.arbiter) }
}
