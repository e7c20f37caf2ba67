package import SealedTree
package import VaultModel

/// Everything in a file that a policy applies to, without secrets.
package struct FileContent: Sendable {
  package let items: [InternetPassword]
  package let past: [PastRecord]
  package let defaults: [ProtectionSpace: String]
}

extension FileTransaction {
  /// Returns the contents of the file in the transaction.
  package func content() throws(VaultError) -> FileContent { try editor.content() }
}

extension FileStore {
  /// Returns the contents of the file.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  package func content() throws(VaultError) -> FileContent {
    try locked { (file) throws(VaultError) in
      try file.read { (reader) throws(VaultError) in try reader.content() }
    }
  }
}

extension BucketSource {
  fileprivate func content() throws(VaultError) -> FileContent {
    let records = try defaults(host: nil)
    return FileContent(
      items: try items(matching: ItemQuery()) { (record) in record.item },
      past: try pastRecords(),
      defaults: Dictionary(records.map { ($0.space, $0.user) }, uniquingKeysWith: { $1 }))
  }
}
