package import VaultModel

/// The sealed rows of one vault, wherever they are stored: in a table of a file, or on a server.
///
/// It stores and returns only bytes. Seals and tags prove them, so it need not be trusted.
///
/// Source: `Documentation/format.md` §2.
package protocol RowSource: AnyObject {
  /// Returns the maximum number of bytes of all rows together.
  func byteCount() throws(VaultError) -> Int

  /// Returns the sealed bytes of a row; nil if there is none with this id.
  func row(_ id: UInt64) throws(VaultError) -> [UInt8]?

  /// Returns the ids of all rows, in ascending order.
  func eachRowID(_ body: (UInt64) -> Void) throws(VaultError)

  /// Writes a row, replacing the one with this id.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if it was not written.
  func put(_ sealed: [UInt8], under id: UInt64) throws(VaultError)

  /// Removes a row, if there is one with this id.
  func remove(_ id: UInt64) throws(VaultError)

  /// Writes the head.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if the vault has no row for it.
  func put(head sealed: [UInt8]) throws(VaultError)
}
