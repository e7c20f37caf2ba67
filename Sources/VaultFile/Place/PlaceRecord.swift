package import VaultCrypto
package import VaultModel

/// Which vault lies at a path, so that another one put there does not answer in its place.
///
/// It is compared before a key is asked for: a vault from before a new `init` may open with the same key, and
/// would give the old secrets in silence. Source: `Documentation/format.md` §8.
package final class PlaceRecord {
  private static let magic = Array("vltplace".utf8)
  private static let byteCount = 56
  private let file: StateFile
  private let place: PlaceID
  private let vaultPath: String
  /// What the record said when it was looked at last, whole; not proven by that.
  private var found: [UInt8]?

  package init(folder: String?, at vaultPath: String) {
    self.vaultPath = vaultPath
    place = PlaceID(vaultPath)
    file = StateFile(folder: folder, name: "\(place.hex).place", byteCount: Self.byteCount)
  }

  /// Which vault the record names; nil if there is no record, or none that is whole.
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

  /// - Throws: ``VaultError/Code/anotherVault`` if the record names another one.
  package func check(_ vault: VaultID) throws(VaultError) {
    guard let known = look(), known != vault else { return }
    throw VaultError(
      .anotherVault,
      "\(vaultPath) is another vault than the one that was seen here: it is \(vault.hex), and "
        + "\(known.hex) was seen")
  }

  /// Whether what was looked at names the vault and was written by who could open it; nil if it names none.
  package func isAuthentic(for vault: VaultID, _ key: RecordKey) -> Bool? {
    guard let found, VaultID(found[8..<24]) == vault else { return nil }
    return key.isAuthentic(found, at: place)
  }

  /// Remembers the vault, which was opened, unless it is remembered already.
  package func confirm(_ vault: VaultID, _ key: RecordKey) {
    let record = key.sealed(Self.magic + vault.bytes, at: place)
    guard found != record, file.open() else { return }
    // Not for as long as the vault is open, as the other record is.
    defer { file.forget() }
    file.locked { isLocked in
      found = read()
      guard isLocked, found != record else { return }
      if let found, VaultID(found[8..<24]) == vault, !file.putAside(found) { return }
      file.write(record)
      found = record
    }
  }

  /// The files that say something of the vault and do not verify, those that were put aside included.
  package func unverified(_ vault: VaultID, _ key: RecordKey?) -> [String] {
    _ = look()
    let isForged = key.map { isAuthentic(for: vault, $0) == false } ?? false
    return [isForged ? file.path : nil, file.hasAside ? file.asidePath : nil].compactMap(\.self)
  }
}
