package import SealedTree
import VaultCrypto
package import VaultModel

@testable package import VaultStore

extension FileStore {
  /// Puts a record into the file like a version that knows more, or less.
  package func plant(_ kind: UInt8, _ body: [UInt8]) throws(VaultError) {
    try write { (transaction) throws(VaultError) in
      let route = try Route(kind: kind, body, 0..<body.count)
      try transaction.editor.insert(Record(kind: kind, body: body), at: route)
    }
  }

  /// Replaces the head by a changed one that follows on the present one.
  package func changeHead(_ change: (inout Head) -> Void) throws(VaultError) {
    try locked { (file) throws(VaultError) in
      try file.inTransaction { (now, connection) throws(VaultError) in
        var head = now.head
        try head.succeed(now.headTag, at: .now(), sealing: now.keys, to: connection)
        change(&head)
        let sealed = now.keys.seal(head.encoded, as: .head, id: 0)
        try connection.run(.updateHead, .blob(sealed))
        return (now, head, sealed)
      }
    }
  }
}
