import SealedTree
package import VaultModel

/// The rows of the table `node`, and the head's.
extension Connection: RowSource {
  package func row(_ id: UInt64) throws(VaultError) -> [UInt8]? {
    var sealed: [UInt8]?
    try run(.selectNode, .integer(id)) { row in sealed = row.blob(0) }
    return sealed
  }

  package func eachRowID(_ body: (UInt64) -> Void) throws(VaultError) {
    try run(.selectNodeIDs) { row in body(row.integer(0)) }
  }

  package func put(_ sealed: [UInt8], under id: UInt64) throws(VaultError) {
    try run(.insertNode, .integer(id), .blob(sealed))
    guard changes == 1 else { throw VaultError(.damaged, "row \(id) could not be written") }
  }

  package func remove(_ id: UInt64) throws(VaultError) {
    try run(.deleteNode, .integer(id))
  }

  package func put(head sealed: [UInt8]) throws(VaultError) {
    try run(.updateHead, .blob(sealed))
    guard changes == 1 else { throw VaultError(.damaged, "the head's row is missing") }
  }
}
