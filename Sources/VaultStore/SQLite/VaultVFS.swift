import CVaultSQLite
import VaultModel

/// The VFS of one connection, which gives SQLite access only to the vault and its journal.
///
/// It is the second defence behind ``SideFiles``: a file placed beside the vault after that check,
/// and while a program has the vault open, is refused when SQLite asks for it. Source:
/// `Documentation/format.md` §9.
@safe final class VaultVFS {
  private let vfs: OpaquePointer
  let path: String
  private let judge: PageOneJudge?
  /// The judge's last reason for refusing the first page.
  private var verdict: VaultError?

  /// Creates a VFS.
  ///
  /// - Parameters:
  ///   - path: The path of the database, absolute and without symbolic links.
  ///   - judge: Judges the first page before SQLite reads it; nil accepts any.
  /// - Throws: ``VaultError/Code/outOfMemory``.
  init(path: String, judge: PageOneJudge?) throws(VaultError) {
    guard let vfs = unsafe vault_vfs_make(path) else {
      throw VaultError(.outOfMemory, "not enough memory to open \(path)")
    }
    unsafe self.vfs = vfs
    self.path = path
    self.judge = judge
    guard judge != nil else { return }
    // SQLite reads only while the connection is open, which keeps `self` alive.
    unsafe vault_vfs_set_judge(
      vfs,
      { context, page, file in
        guard let context = unsafe context, let page = unsafe page else { return false }
        let vfs = unsafe Unmanaged<VaultVFS>.fromOpaque(context).takeUnretainedValue()
        // The VFS hands over a whole page.
        let bytes = unsafe Array(UnsafeBufferPointer(start: page, count: PageOne.size))
        return unsafe vfs.accepts(bytes, file)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    // The connection is closed by now.
    unsafe vault_vfs_free(vfs)
  }

  /// The name for a connection; valid as long as this object.
  @unsafe var name: UnsafePointer<CChar>? { unsafe vault_vfs_name(vfs) }

  /// Returns SQLite's code of the last read that failed since the last call; nil if none did.
  func takeFailedRead() -> Int32? {
    // The VFS lives as long as `self`.
    let status = unsafe vault_vfs_take_failed_read(vfs)
    return status == SQLITE_OK ? nil : status
  }

  /// Allows SQLite to open one additional file while `body` runs, and to write as many bytes to it.
  func allowing(
    copy path: String, atMost most: Int, _ body: () throws(VaultError) -> Void
  ) throws(VaultError) {
    let name = ContiguousArray(path.utf8CString)
    let outcome = unsafe name.withUnsafeBufferPointer { name in
      // The array lives until the closure returns, and the VFS forgets it before.
      unsafe vault_vfs_set_copy(vfs, name.baseAddress, Int64(most))
      defer { unsafe vault_vfs_set_copy(vfs, nil, 0) }
      return Result { () throws(VaultError) in try body() }
    }
    try outcome.get()
  }

  @unsafe private func accepts(
    _ page: [UInt8], _ file: UnsafeMutablePointer<sqlite3_file>?
  ) -> Bool {
    guard let judge else { return false }
    do throws(VaultError) {
      try judge.judge(PageOne(page)) { (number) throws(VaultError) in
        var other = [UInt8](repeating: 0, count: PageOne.size)
        // The array has as many bytes as are read.
        let status = unsafe other.withUnsafeMutableBytes {
          unsafe vault_sqlite3_read(
            file, $0.baseAddress, Int32($0.count), (Int64(number) - 1) * Int64(PageOne.size))
        }
        guard status == SQLITE_OK else { throw SQLiteError.error(status, "reading a page") }
        return other
      }
      return true
    } catch {
      verdict = error
      return false
    }
  }

  /// Returns the error for a refusal of the VFS; nil for SQLite's own codes.
  func refusal(_ status: Int32) -> VaultError? {
    let error: VaultError? =
      switch status {
      case vault_vfs_refused_wal: SideFiles.isForeign("-wal", of: path)
      case vault_vfs_refused_name: SideFiles.namesAnother(journalOf: path)
      case vault_vfs_refused_journal_file: SideFiles.isNotOwn(journalOf: path)
      case vault_vfs_refused_journal: SideFiles.isDamaged(journalOf: path)
      case vault_vfs_refused_page_size:
        VaultError(.damaged, "the file's pages do not have the size of a vault's")
      case vault_vfs_refused_copy:
        VaultError(.damaged, "the vault's rows are longer than its file")
      case vault_vfs_refused_page: verdict
      default: nil
      }
    return error.map {
      VaultError($0.code, $0.context, underlying: .sqlite(status)).about($0.subject)
    }
  }
}
