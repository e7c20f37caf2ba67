import CVaultSQLite
import Glibc
package import VaultModel

/// The files beside a vault with the names of SQLite's own files.
///
/// They are checked before SQLite sees the vault. A vault has one side file, its rollback journal,
/// and only during a write or after a writer died. SQLite would take the others for parts of the
/// database: it checkpoints the contents of a `-wal` into the file, or writes there instead of into
/// the file. A journal may also name another file, which SQLite deletes when the journal is done.
/// Source: `Documentation/format.md` §9.
package struct SideFiles {
  /// A file that no vault has beside it.
  package struct Fault {
    package let path: String
    package let error: VaultError
  }

  private let path: String
  private let isOnlyRead: Bool

  /// Creates the side files of a vault.
  ///
  /// - Parameters:
  ///   - path: The path of the vault.
  ///   - isOnlyRead: Whether nothing is ever replayed: the journal of a backup may be anybody's.
  package init(of path: String, isOnlyRead: Bool = false) {
    self.path = path
    self.isOnlyRead = isOnlyRead
  }

  /// Checks the side files.
  ///
  /// - Throws: The first of ``faults(besideIdle:)``.
  package func check() throws(VaultError) {
    if let fault = try faults().first { throw fault.error }
  }

  /// Returns everything beside the vault that does not belong to a vault.
  ///
  /// - Parameter vault: The size and header of the vault, if nobody is writing it; with them, the
  ///   journal's page count is judged too.
  /// - Returns: The faults in the order of the names; empty if there is none.
  /// - Throws: ``VaultError/Code/inputOutput`` if a file cannot be checked.
  package func faults(
    besideIdle vault: (byteCount: Int, header: SQLiteHeader)? = nil
  ) throws(VaultError) -> [Fault] {
    var faults: [Fault] = []
    for suffix in ["-wal", "-shm"] where try Posix.information(path + suffix) != nil {
      faults.append(Fault(path: path + suffix, error: Self.isForeign(suffix, of: path)))
    }
    let extent = vault.map {
      vault_extent(size: Int64($0.byteCount), pages: $0.header.pageCount)
    }
    if let error = try journalFault(extent) {
      faults.append(Fault(path: path + "-journal", error: error))
    }
    return faults
  }

  /// Checks that there are no files with the names of a new vault's side files.
  ///
  /// A journal left by an old vault would be applied to the new one.
  ///
  /// - Throws: ``VaultError/Code/cannotCreate``.
  package func checkAbsent() throws(VaultError) {
    for suffix in ["-journal", "-wal", "-shm"] where try Posix.information(path + suffix) != nil {
      throw VaultError(
        .cannotCreate,
        "\(path)\(suffix) is left of another file, and would be taken for the new one's")
    }
  }

  /// Returns the fault of the journal, if there is one.
  ///
  /// A writer may be active now. The VFS judges the page count when SQLite is about to replay the
  /// journal and nobody else writes.
  private func journalFault(_ vault: vault_extent?) throws(VaultError) -> VaultError? {
    let journal = path + "-journal"
    guard let information = try Posix.information(journal) else { return nil }
    guard isOnlyRead ? information.isRegularFile : Self.isOwn(information) else {
      return Self.isNotOwn(journalOf: path)
    }
    // A descriptor of the journal is harmless: SQLite's locks are on the vault itself.
    let descriptor = unsafe open(journal, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else {
      // A commit has just removed it.
      if errno == ENOENT { return nil }
      // The owner may be writing. SQLite distinguishes that from a journal that was left.
      if isOnlyRead, errno == EACCES { return nil }
      throw Posix.failure(journal)
    }
    defer { close(descriptor) }
    let size = lseek(descriptor, 0, SEEK_END)
    guard size >= 0 else { throw Posix.failure(journal, .inputOutput) }
    switch Self.judge(descriptor, Int64(size), vault) {
    case SQLITE_OK: return nil
    case vault_vfs_refused_name: return Self.namesAnother(journalOf: path)
    case SQLITE_IOERR: throw Posix.failure(journal, .inputOutput)
    default: return Self.isDamaged(journalOf: path)
    }
  }

  private static func judge(
    _ descriptor: Int32, _ size: Int64, _ vault: vault_extent?
  ) -> Int32 {
    // The context is a number and no pointer; what the judge reads is its own, and as long as it
    // says.
    var journal = unsafe vault_journal(
      read: { context, bytes, count, offset in
        guard let bytes = unsafe bytes else { return SQLITE_IOERR }
        unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0, count: Int(count))
        let descriptor = Int32(Int(bitPattern: context))
        return unsafe pread(descriptor, bytes, Int(count), off_t(offset)) < 0
          ? SQLITE_IOERR : SQLITE_OK
      }, context: UnsafeMutableRawPointer(bitPattern: Int(descriptor)), size: size)
    guard var vault else { return unsafe vault_judge_journal(&journal, nil) }
    return unsafe vault_judge_journal(&journal, &vault)
  }

  /// Returns whether a journal is a regular file that only this user can have written.
  ///
  /// With a second name, a writer would also overwrite another file.
  package static func isOwn(_ journal: FileStatus) -> Bool {
    journal.isRegularFile && journal.owner == geteuid() && journal.mode & 0o022 == 0
      && journal.linkCount == 1
  }

  // MARK: Faults

  static func isForeign(_ suffix: String, of vault: String) -> VaultError {
    VaultError(
      .unsafePermissions,
      "\(vault)\(suffix) is no file of a vault's, and SQLite would take it for a part of one"
    ).about(.sideFile(of: vault))
  }

  static func namesAnother(journalOf vault: String) -> VaultError {
    VaultError(
      .unsafePermissions,
      "\(vault)-journal was not written by a vault: it names another file, to be deleted"
    ).about(.sideFile(of: vault))
  }

  static func isNotOwn(journalOf vault: String) -> VaultError {
    VaultError(
      .unsafePermissions, "\(vault)-journal was not written by this user's vault"
    ).about(.sideFile(of: vault))
  }

  static func isDamaged(journalOf vault: String) -> VaultError {
    VaultError(
      .damaged,
      "\(vault)-journal is damaged, or another file's: its pages are not a vault's"
    ).about(.sideFile(of: vault))
  }
}
