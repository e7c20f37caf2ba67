import VaultModel

/// The pages of a vault's file, with those of its journal in their places, read one by one while
/// nobody writes.
///
/// The contents are not kept in memory: the file may be as large as a disk. Only the offset of each
/// journal page is kept.
final class RawFile {
  static let pageSize = 4096

  private let file: ReadFile
  /// Nil without a journal.
  private let journal: ReadFile?
  private let image: JournalImage

  /// Opens the file.
  ///
  /// - Throws: ``VaultError/Code/vaultNotFound``, ``VaultError/Code/unsafePermissions``,
  ///   ``VaultError/Code/busy``, ``VaultError/Code/inputOutput``.
  init(_ path: VaultPath) throws(VaultError) {
    _ = try path.checkExisting()
    try SideFiles(of: path.path).check()
    let file = try ReadFile(path.path, isLocked: true)
    self.file = file
    guard try path.hasJournal() else {
      (journal, image) = (nil, JournalImage(byteCount: file.byteCount))
      return
    }
    let journal = try ReadFile(path.path + "-journal", isLocked: false)
    self.journal = journal
    image = JournalImage(byteCount: file.byteCount, header: file.bytes(at: 0, 100) ?? []) {
      journal.bytes(at: $0, $1) ?? []
    }
  }

  var byteCount: Int { image.byteCount }

  /// The number of pages; the last one may be incomplete.
  var pageCount: Int { (image.byteCount + Self.pageSize - 1) / Self.pageSize }

  /// Calls `body` once with the number of every page that may have other bytes than zeros: those of
  /// the journal, then those of the file outside its holes.
  func eachPage(_ body: (Int) -> Void) {
    image.places.keys.filter { $0 < pageCount }.sorted().forEach(body)
    var next = 0
    while true {
      let data = file.data(from: next * Self.pageSize)
      let first = data.lowerBound / Self.pageSize
      next = min((data.upperBound + Self.pageSize - 1) / Self.pageSize, pageCount)
      guard !data.isEmpty, first < next else { return }
      for number in first..<next where image.places[number] == nil { body(number) }
    }
  }

  /// Returns the bytes of a page; none if it does not exist or can no longer be read.
  func page(_ number: Int) -> [UInt8] {
    guard number >= 0, number < pageCount else { return [] }
    if let place = image.places[number] {
      return journal?.bytes(at: place, Self.pageSize) ?? []
    }
    let count = min(Self.pageSize, image.byteCount - number * Self.pageSize)
    return file.bytes(at: number * Self.pageSize, count) ?? []
  }
}
