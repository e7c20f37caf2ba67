import AttackSupport
import CVaultSQLite
import Testing
import VaultModel

/// The VFS below a connection, called as SQLite calls a VFS.
@Suite struct VaultVFSTests {
  /// A file that a VFS has open.
  @safe private struct OpenFile {
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let methods: sqlite3_io_methods

    @unsafe init(_ file: UnsafeMutablePointer<sqlite3_file>, _ methods: sqlite3_io_methods) {
      unsafe self.file = unsafe file
      self.methods = methods
    }

    /// Writes the first `count` bytes, no more than there are; returns SQLite's status.
    func write(_ bytes: [UInt8], _ count: Int, at offset: Int) -> Int32 {
      unsafe methods.xWrite(file, bytes, Int32(count), Int64(offset))
    }

    /// Reads one byte; returns SQLite's status and the byte.
    func read(at offset: Int) -> (status: Int32, byte: UInt8) {
      var byte: UInt8 = 0
      return (unsafe methods.xRead(file, &byte, 1, Int64(offset)), byte)
    }

    /// The size, as the file says it.
    var size: Int64 {
      var size: Int64 = 0
      return unsafe methods.xFileSize(file, &size) == SQLITE_OK ? size : -1
    }

    func synchronize() -> Int32 { unsafe methods.xSync(file, SQLITE_SYNC_NORMAL) }

    /// Tells the file what SQLite tells it before a commit is complete.
    func announceCommit() -> Int32 { unsafe methods.xFileControl(file, SQLITE_FCNTL_SYNC, nil) }

    func truncate(to count: Int64) -> Int32 { unsafe methods.xTruncate(file, count) }

    var hasSharedMemory: Bool { unsafe methods.xShmMap != nil }
  }

  /// A VFS of its own for a vault's path.
  @safe private final class Subject {
    let name: String
    private let own: OpaquePointer
    private let vfs: UnsafeMutablePointer<sqlite3_vfs>

    init(_ path: String) throws {
      guard let own = unsafe vault_vfs_make(path),
        let vfs = unsafe sqlite3_vfs_find(vault_vfs_name(own))
      else { throw VaultError(.outOfMemory, "there is no VFS") }
      unsafe self.own = unsafe own
      unsafe self.vfs = unsafe vfs
      name = unsafe String(cString: vault_vfs_name(own))
    }

    deinit {
      // Nothing is open of it by then.
      unsafe vault_vfs_free(own)
    }

    static func exists(_ name: String) -> Bool { unsafe sqlite3_vfs_find(name) != nil }

    var isDefault: Bool { unsafe sqlite3_vfs_find(nil) == vfs }

    /// Opens a file, uses it, and closes it; returns the result of opening it.
    func open(
      _ path: String?, _ flags: Int32,
      _ body: (OpenFile) -> Void = { _ in }
    ) -> Int32 {
      let size = unsafe Int(vfs.pointee.szOsFile)
      let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
      // As large as the VFS wants it, and closed before it goes.
      defer { unsafe memory.deallocate() }
      let file = unsafe memory.bindMemory(to: sqlite3_file.self, capacity: 1)
      unsafe file.pointee.pMethods = nil
      let status = unsafe vfs.pointee.xOpen(vfs, path, file, flags, nil)
      if let methods = unsafe file.pointee.pMethods {
        body(unsafe OpenFile(file, methods.pointee))
        _ = unsafe methods.pointee.xClose(file)
      }
      return status
    }

    func look(for path: String) -> Int32 {
      var result: Int32 = 0
      // The result is this function's.
      return unsafe vfs.pointee.xAccess(vfs, path, SQLITE_ACCESS_EXISTS, &result)
    }

    func delete(_ path: String) -> Int32 { unsafe vfs.pointee.xDelete(vfs, path, 0) }

    func allowing(copy path: String, _ body: () -> Void) {
      let name = ContiguousArray(path.utf8CString)
      unsafe name.withUnsafeBufferPointer { name in
        // The array lives until the name is forgotten.
        unsafe vault_vfs_set_copy(own, name.baseAddress, 1 << 20)
        body()
        unsafe vault_vfs_set_copy(own, nil, 0)
      }
    }
  }

  @Test func `It is found by its name, and never the default`() throws {
    var name = ""
    do {
      let subject = try Subject(Folder()("v"))
      #expect(!subject.isDefault)
      name = subject.name
    }
    #expect(!Subject.exists(name))
  }

  @Test func `Of all that SQLite opens, it opens the vault and its journal, each for what it is`()
    throws
  {
    let folder = try Folder()
    let names = ["v", "v-journal", "v-wal", "v-shm", "other", "other-journal", "v-journa", "vv"]
    for name in names { try File.write([], to: folder(name)) }
    let kinds = [
      SQLITE_OPEN_MAIN_DB, SQLITE_OPEN_MAIN_JOURNAL, SQLITE_OPEN_WAL, SQLITE_OPEN_SUPER_JOURNAL,
      SQLITE_OPEN_TEMP_DB, SQLITE_OPEN_TEMP_JOURNAL, SQLITE_OPEN_SUBJOURNAL,
      SQLITE_OPEN_TRANSIENT_DB,
    ]
    let subject = try Subject(folder("v"))
    let writing = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
    for kind in kinds {
      for name in names {
        let isOwn =
          (name == "v" && kind == SQLITE_OPEN_MAIN_DB)
          || (name == "v-journal" && kind == SQLITE_OPEN_MAIN_JOURNAL)
        let status = subject.open(folder(name), kind | writing)
        #expect(status == (isOwn ? SQLITE_OK : vault_vfs_refused_name), "\(name) as \(kind)")
      }
      #expect(subject.open(nil, kind | writing) == vault_vfs_refused_name)
    }
    let temporary = SQLITE_OPEN_MAIN_JOURNAL | writing | SQLITE_OPEN_DELETEONCLOSE
    #expect(subject.open(folder("v-journal"), temporary) == vault_vfs_refused_name)
  }

  @Test func `It looks for no name but its own, and deletes nothing but the journal`() throws {
    let folder = try Folder()
    for name in ["v", "v-journal", "other"] { try File.write([1], to: folder(name)) }
    let subject = try Subject(folder("v"))
    for name in ["other", "nothing", "v", "v-shm", "v-journal-", "other-journal", ""] {
      #expect(subject.look(for: folder(name)) == vault_vfs_refused_name, "\(name)")
    }
    #expect(subject.look(for: folder("v-journal")) == SQLITE_OK)
    #expect(subject.look(for: folder("v-wal")) == SQLITE_OK)
    // A link to nothing would be followed once it leads somewhere.
    try File.makeSymbolicLink(folder("v-wal"), to: folder("nothing"))
    #expect(subject.look(for: folder("v-wal")) == vault_vfs_refused_wal)
    for name in ["v", "other", "v-wal", "nothing"] {
      #expect(subject.delete(folder(name)) == vault_vfs_refused_name)
    }
    #expect(subject.delete(folder("v-journal")) == SQLITE_OK)
    #expect(try folder.contents() == ["other", "v", "v-wal"])
  }

  @Test func `During a backup the new file and its journal are its own, and not afterwards`() throws
  {
    let folder = try Folder()
    for name in ["v", "copy"] { try File.write([], to: folder(name)) }
    let flags = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_READWRITE
    let subject = try Subject(folder("v"))
    #expect(subject.open(folder("copy"), flags) == vault_vfs_refused_name)
    subject.allowing(copy: folder("copy")) {
      #expect(subject.open(folder("copy"), flags) == SQLITE_OK)
      #expect(subject.look(for: folder("copy-journal")) == SQLITE_OK)
    }
    #expect(subject.open(folder("copy"), flags) == vault_vfs_refused_name)
    #expect(subject.look(for: folder("copy-journal")) == vault_vfs_refused_name)
  }

  @Test func `No page of another size is written, and there is no shared memory`() throws {
    let folder = try Folder()
    try File.write([UInt8](repeating: 0, count: 8192), to: folder("v"))
    let subject = try Subject(folder("v"))
    let bytes = [UInt8](repeating: 7, count: 8192)
    let status = subject.open(folder("v"), SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_READWRITE) {
      (file) in
      for (count, offset) in [(512, 0), (8192, 0), (4096, 512), (1, 4096)] {
        #expect(file.write(bytes, count, at: offset) == vault_vfs_refused_page_size)
      }
      #expect(file.truncate(to: 100) == vault_vfs_refused_page_size)
      #expect(file.write(bytes, 4096, at: 4096) == SQLITE_OK)
      #expect(file.synchronize() == SQLITE_OK)
      #expect(!file.hasSharedMemory)
    }
    #expect(status == SQLITE_OK)
    #expect(
      try File.read(folder("v"))
        == [UInt8](repeating: 0, count: 4096) + [UInt8](repeating: 7, count: 4096))
  }

  // MARK: Pages that are gathered

  /// Returns the pages of a file whose numbers are the first byte of each; 0 where none was
  /// written.
  private func pages(_ folder: Folder) throws -> [UInt8] {
    let bytes = try File.read(folder("v"))
    return stride(from: 0, to: bytes.count, by: 4096).map { bytes[$0] }
  }

  /// Opens a new file, which has no judge yet.
  private func write(_ folder: Folder, _ body: (OpenFile) throws -> Void) throws {
    try File.write([], to: folder("v"))
    let subject = try Subject(folder("v"))
    var failure: (any Error)?
    let status = subject.open(folder("v"), SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_READWRITE) { file in
      do { try body(file) } catch { failure = error }
    }
    #expect(status == SQLITE_OK)
    if let failure { throw failure }
  }

  private func page(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 4096) }

  @Test(
    "Pages of a new file are there when anything looks at it", arguments: 0..<5)
  func gathered(_ way: Int) throws {
    let folder = try Folder()
    // In an order in which SQLite might write them, with one that is written twice and a gap.
    let numbers: [UInt8] = [1, 3, 2, 5, 9, 5, 20, 19]
    try write(folder) { (file) throws in
      for number in numbers {
        #expect(file.write(page(number), 4096, at: Int(number - 1) * 4096) == SQLITE_OK)
      }
      #expect(try File.read(folder("v")).count == 0)
      switch way {
      case 0: #expect(file.synchronize() == SQLITE_OK)
      // What SQLite's own VFS says of it.
      case 1: #expect(file.announceCommit() == SQLITE_NOTFOUND)
      case 2: #expect(file.size == 20 * 4096)
      case 3: #expect(file.read(at: 4 * 4096) == (SQLITE_OK, 5))
      default: #expect(file.truncate(to: 20 * 4096) == SQLITE_OK)
      }
      #expect(
        try pages(folder) == (1...20).map { numbers.contains($0) ? $0 : 0 })
    }
  }

  @Test func `Pages of a new file that are far apart are all written, the last ones last`() throws {
    let folder = try Folder()
    try write(folder) { (file) throws in
      for number in 0..<200 {
        #expect(file.write(page(UInt8(number + 1)), 4096, at: number * 4096) == SQLITE_OK)
      }
      #expect(try File.read(folder("v")).count < 200 * 4096)
      #expect(file.write(page(77), 4096, at: 0) == SQLITE_OK)
      #expect(try File.read(folder("v")).count == 200 * 4096)
      #expect(file.synchronize() == SQLITE_OK)
    }
    #expect(try pages(folder) == [77] + (2...200))
  }

  @Test func `A page of a new file that cannot be written fails the next call`() throws {
    // A full disk, whatever is written to it.
    let subject = try Subject("/dev/full")
    let status = subject.open("/dev/full", SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_READWRITE) { file in
      #expect(file.write(page(1), 4096, at: 0) == SQLITE_OK)
      #expect(file.announceCommit() == SQLITE_FULL)
      #expect(file.synchronize() == SQLITE_FULL)
    }
    #expect(status == SQLITE_OK)
  }
}
