import Dispatch
import Glibc
import Synchronization
import TestSupport
import Testing
import VaultStore
import VaultModel

/// Results of the gate itself: over a whole vault the VFS would refuse the same files again.
@Suite("side files, looked at before SQLite sees the vault")
struct SideFilesTests {
  private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
  private let folder: TemporaryFolder
  private var path: String { folder.file("vault") }

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test("a file that no vault has beside it is refused", arguments: ["-wal", "-shm"])
  func foreign(suffix: String) throws {
    try SideFiles(of: path).check()
    _ = try folder.write([UInt8](repeating: 0, count: 32), as: "vault" + suffix)
    let error = #expect(throws: VaultError.self) { try SideFiles(of: path).check() }
    #expect(error?.code == .unsafePermissions && error?.context.contains(suffix) == true)
  }

  @Test("a journal that ends as one that names a further file is refused, whatever it begins with")
  func naming() throws {
    let journal = [UInt8](repeating: 0, count: 512)
    _ = try folder.write(journal, as: "vault-journal")
    try SideFiles(of: path).check()
    _ = try folder.write(journal + Self.magic, as: "vault-journal")
    let error = #expect(throws: VaultError.self) { try SideFiles(of: path).check() }
    #expect(error?.code == .unsafePermissions)
  }

  @Test("a journal that another program's commit removes at this moment is no fault")
  func removed() throws {
    let (journal, path) = (path + "-journal", path)
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 2) { thread in
      for _ in 0..<20_000 {
        do {
          guard thread == 0 else {
            try SideFiles(of: path).check()
            continue
          }
          // The name is a C string during each call.
          close(unsafe open(journal, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600))
          unsafe unlink(journal)
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
    }
    #expect(failures.withLock { $0 } == [])
  }
}
