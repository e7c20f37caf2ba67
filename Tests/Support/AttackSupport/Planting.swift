import Foundation

/// Rollback journals that somebody may put beside a vault.
///
/// Source: <https://sqlite.org/fileformat2.html#the_rollback_journal>.
package enum PlantedJournal {
  private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

  /// The offsets of the numbers in a journal's header.
  package enum Field: Int, CaseIterable, Sendable {
    case pageCount = 16
    case sectorSize = 20
    case pageSize = 24
  }

  /// Returns the header of a transaction of no pages, which sets the file's length to the given
  /// count.
  package static func header(pageCount: UInt32) -> [UInt8] {
    let header = magic + [0, pageCount, 512, 4096].reduce(bigEndian(0)) { $0 + bigEndian($1) }
    return header + [UInt8](repeating: 0, count: 512 - header.count)
  }

  /// Returns a journal that names a further file, which SQLite deletes after replaying it.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - journal: The rest of its content; nil for the header of a transaction of no pages.
  /// - Returns: The journal's bytes.
  package static func naming(_ path: String, after journal: [UInt8]? = nil) -> [UInt8] {
    let name = Array(path.utf8)
    let sum = name.reduce(0) { $0 &+ UInt32($1) }
    return (journal ?? header(pageCount: 4)) + bigEndian(1 << 30) + name
      + bigEndian(UInt32(name.count)) + bigEndian(sum) + magic
  }

  /// Returns a journal with another number in its header.
  package static func changed(_ journal: [UInt8], _ field: Field, to number: UInt32) -> [UInt8] {
    var journal = journal
    journal.replaceSubrange(field.rawValue..<field.rawValue + 4, with: bigEndian(number))
    return journal
  }

  private static func bigEndian(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}

/// Files that somebody may put in the place of a vault; each function throws if it cannot make one.
extension File {
  package static func remove(_ path: String) throws {
    try check(unsafe unlink(path), path)
  }

  /// Replaces the file with the new name, in one step.
  package static func move(_ path: String, to other: String) throws {
    try check(unsafe rename(path, other), path)
  }

  package static func makeFolder(_ path: String, mode: UInt32 = 0o700) throws {
    try check(unsafe mkdir(path, mode), path)
    try setMode(mode, of: path)
  }

  package static func makePipe(_ path: String) throws {
    try check(unsafe mkfifo(path, 0o600), path)
  }

  package static func makeSymbolicLink(_ path: String, to target: String) throws {
    try check(unsafe symlink(target, path), path)
  }

  package static func makeHardLink(_ path: String, to target: String) throws {
    try check(unsafe link(target, path), path)
  }

  package static func setMode(_ mode: UInt32, of path: String) throws {
    try check(unsafe chmod(path, mode), path)
  }

  package static func setOwner(_ user: UInt32, of path: String) throws {
    try check(unsafe lchown(path, user, user), path)
  }

  private static func check(_ status: Int32, _ path: String) throws {
    guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  }
}
