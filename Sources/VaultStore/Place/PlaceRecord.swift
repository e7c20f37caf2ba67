package import VaultCrypto
package import VaultModel

/// The record of which vault belongs to a path, so that another one put there is not used in its
/// place.
///
/// It is compared before a key is requested: a vault from before a new `init` may open with the
/// same key, and would silently return the old secrets. Source: `Documentation/format.md` §8.
package final class PlaceRecord {
  private static let magic = Array("vltplace".utf8)
  private static let byteCount = 56
  private let file: StateFile
  private let place: PlaceID
  private let vaultPath: String
  /// The whole record at the last look, which is not authenticated by that.
  private var found: [UInt8]?

  package init(folder: String?, at vaultPath: String) {
    self.vaultPath = vaultPath
    place = PlaceID(vaultPath)
    file = StateFile(folder: folder, name: "\(place.hex).place", byteCount: Self.byteCount)
  }

  /// Returns the vault in the record; nil if there is no complete record.
  package func look() -> VaultID? {
    found = nil
    guard file.look() else { return nil }
    found = read()
    file.forget()
    return found.flatMap { VaultID($0[8..<24]) }
  }

  private func read() -> [UInt8]? {
    guard let bytes = file.read(), bytes.starts(with: Self.magic) else { return nil }
    return bytes
  }

  /// Checks that the record, if any, names this vault.
  ///
  /// - Throws: ``VaultError/Code/anotherVault`` if the record names another one.
  package func check(_ vault: VaultID) throws(VaultError) {
    guard let known = look(), known != vault else { return }
    throw VaultError(
      .anotherVault,
      "\(vaultPath) is another vault than the one that was seen here: it is \(vault.hex), and "
        + "\(known.hex) was seen")
  }

  /// Returns whether the last record read was written with the vault's key; nil if it does not name
  /// the vault.
  package func isAuthentic(for vault: VaultID, _ key: RecordKey) -> Bool? {
    guard let found, VaultID(found[8..<24]) == vault else { return nil }
    return key.isAuthentic(found, at: place)
  }

  /// Records the vault, which was opened, unless it is already recorded.
  package func confirm(_ vault: VaultID, _ key: RecordKey) {
    let record = key.sealed(Self.magic + vault.bytes, at: place)
    guard found != record, file.open() else { return }
    // The file is not kept open with the vault, unlike the other record.
    defer { file.forget() }
    file.locked { isLocked in
      found = read()
      guard isLocked, found != record else { return }
      if let found, VaultID(found[8..<24]) == vault, !file.putAside(found) { return }
      file.write(record)
      found = record
    }
  }

  /// Returns the files about the vault that do not verify, including those put aside.
  package func unverified(_ vault: VaultID, _ key: RecordKey?) -> [String] {
    _ = look()
    let isForged = key.map { isAuthentic(for: vault, $0) == false } ?? false
    return [isForged ? file.path : nil, file.hasAside ? file.asidePath : nil].compactMap(\.self)
  }
}
