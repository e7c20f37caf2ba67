package import VaultModel

extension VaultFile {
  /// The role of an opened file: the places that it may have, and whether it is written.
  package enum Role: Hashable, Sendable {
    /// A vault in use, in a safe place.
    case vault
    /// A file that this process alone knows, and discards if anything fails: it has no journal on
    /// the disk, so that a commit that failed leaves neither the old state nor the new one.
    case draft
    /// A vault that others keep, in a place that is safe from everybody but its owner: it is never
    /// written, not even to apply its journal. Beside this user, root and the named one may own it.
    case onlyRead(owner: UInt32?)
    /// A copy that is only read, in any place: only its seals are trusted.
    case backup

    package var isOnlyRead: Bool { self != .vault && self != .draft }

    /// The owners and modes that are accepted, wherever the place matters.
    package var permissions: FilePermissions {
      if case .onlyRead(let owner) = self { .onlyRead(ownedBy: owner) } else { .own }
    }
  }

  /// Requires a file that may be written.
  ///
  /// - Throws: ``VaultError/Code/readOnly``, saying why it is not.
  package func requireWritable() throws(VaultError) {
    if case .onlyRead = role { throw .onlyRead(path.path) }
    guard !connection.isReadOnly else { throw path.cannotBeWritten() }
  }
}
