import CSQLite
import SealedTree
import VaultModel

/// Every SQL statement of the library; none is built from input.
package enum Statement: Int, CaseIterable {
  case begin
  case beginImmediate
  case commit
  case rollback
  case userVersion
  case selectSchema
  case selectVault
  case insertVault
  case updateHead
  case updateIdent
  case selectSlots
  case insertSlot
  case updateSlot
  case deleteSlot
  case selectNode
  case selectNodeIDs
  case selectLargeSecretIDs
  case insertNode
  case deleteNode
  case deleteTrees
  case vacuum
  case vacuumInto
  case integrityCheck
  case checkSlots

  var sql: StaticString {
    switch self {
    case .begin: "BEGIN"
    case .beginImmediate: "BEGIN IMMEDIATE"
    case .commit: "COMMIT"
    case .rollback: "ROLLBACK"
    case .userVersion: "PRAGMA user_version"
    case .selectSchema: "SELECT type, sql FROM sqlite_schema ORDER BY rowid"
    case .selectVault: "SELECT ident, head FROM vault WHERE id = 0"
    case .insertVault: "INSERT INTO vault (id, ident, head) VALUES (0, ?1, ?2)"
    case .updateHead: "UPDATE vault SET head = ?1 WHERE id = 0"
    case .updateIdent: "UPDATE vault SET ident = ?1, head = ?2 WHERE id = 0"
    case .selectSlots: "SELECT id, body FROM slot ORDER BY id"
    case .insertSlot: "INSERT INTO slot (id, body) VALUES (?1, ?2)"
    case .updateSlot: "UPDATE slot SET body = ?2 WHERE id = ?1"
    case .deleteSlot: "DELETE FROM slot WHERE id = ?1"
    case .selectNode: "SELECT sealed FROM node WHERE id = ?1"
    case .selectNodeIDs: "SELECT id FROM node ORDER BY id"
    case .selectLargeSecretIDs: "SELECT id FROM node WHERE id >= ?1"
    case .insertNode:
      // An orphaned row may have the id of a new bucket; that is no reason to fail.
      "INSERT INTO node (id, sealed) VALUES (?1, ?2) ON CONFLICT (id) DO UPDATE SET sealed = ?2"
    case .deleteNode: "DELETE FROM node WHERE id = ?1"
    case .deleteTrees: "DELETE FROM node WHERE id < ?1"
    case .vacuum: "VACUUM"
    case .vacuumInto: "VACUUM INTO ?1"
    case .integrityCheck: "PRAGMA integrity_check(20)"
    case .checkSlots: "PRAGMA integrity_check(slot)"
    }
  }
}
