package import VaultModel

/// Everything in a file that a policy has a say about, without secrets.
package struct FileContent: Sendable {
  package let items: [InternetPassword]
  package let past: [PastRecord]
  package let defaults: [ProtectionSpace: String]
}

extension FileTransaction {
  /// What the file holds, as it is within the transaction.
  package func content() throws(VaultError) -> FileContent { try editor.content() }
}

extension FileStore {
  /// What the file holds.
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
    try FileContent(
      items: items(matching: ItemQuery()) { (record) in record.item },
      past: pastRecords(),
      defaults: defaults(host: nil).bySpace)
  }
}
