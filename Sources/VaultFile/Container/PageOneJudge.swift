import VaultCrypto
import VaultModel

/// A check whether SQLite may read a file's schema: only one of a vault's, text for text.
///
/// SQLite parses a file's whole schema before it runs the first statement, and 100,000 tables took
/// it 19 s. A vault's schema is on the first page, so only that page is checked. Source:
/// `Documentation/format.md` §2.
struct PageOneJudge {
  private let chain: MigrationChain
  private let path: String

  init(_ chain: MigrationChain, of path: String) {
    self.chain = chain
    self.path = path
  }

  /// Judges a first page, as SQLite read it under its lock.
  ///
  /// Whether the file's schema version is true is decided by its ident, which the head verifies.
  ///
  /// - Parameters:
  ///   - page: The page.
  ///   - read: Returns another page, by its number from 1.
  /// - Throws: ``VaultError/Code/tooNew`` for a later version's vault, ``VaultError/Code/damaged``
  ///   for any other vault with a fault, and ``VaultError/Code/notAVault`` for a file that never
  ///   was a vault.
  func judge(
    _ page: PageOne, reading read: (Int) throws(VaultError) -> [UInt8]
  ) throws(VaultError) {
    let version = min(max(page.userVersion, 1), chain.version)
    let expected = try chain.schema(after: version)
    let isExpected = page.schema(atMost: expected.count).map { $0.map(\.entry) } == expected
    guard page.isOurs else {
      // One damaged byte in the application id must not make a vault appear to be something else.
      guard isExpected else { throw VaultError(.notAVault, "\(path) is not a vault") }
      throw VaultError(.damaged, "the file's application id is damaged")
    }
    guard page.isContainer else {
      throw VaultError(.damaged, "the file's header is not a vault's")
    }
    guard isExpected, page.userVersion == version else {
      try refuseNewer(page, read)
      throw VaultError(
        .damaged,
        isExpected
          ? "the file's schema version is damaged" : "the file's schema is not a vault's")
    }
  }

  /// Rejects a vault with another schema as too new, if its ident says so.
  private func refuseNewer(
    _ page: PageOne, _ read: (Int) throws(VaultError) -> [UInt8]
  ) throws(VaultError) {
    // As many rows as fit on a page.
    let rows = page.schema(atMost: PageOne.size / 8)
    guard let vault = rows?.first(where: { $0.name == Array("vault".utf8) }), vault.root > 1 else {
      return
    }
    do throws(VaultError) {
      guard let ident = PageOne.ident(on: try read(vault.root)) else { return }
      _ = try Ident(decoding: ident, knowing: chain.features)
    } catch {
      guard error.code == .tooNew else { return }
      throw error
    }
  }
}
