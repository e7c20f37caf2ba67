import VaultCrypto
package import VaultModel

/// The state folder's count of wrong PINs, one small file for each item.
///
/// The vault is not written, so that wrong PINs also count for one that is only read. The count is
/// authenticated with the vault's record key. Without a state folder that can be written, nothing
/// is counted. Anyone who may remove the count, or who copies the vault and its key, tries PINs
/// without a delay: the cost of each remains. Source: `Documentation/format.md` §8.
struct PINAttempts {
  private static let magic = Array("vltpins1".utf8)
  /// Magic, count, time of the last wrong one, and the proof.
  private static let byteCount = 8 + 8 + 8 + 32
  /// The wrong PINs that delay nothing.
  static let free = 3
  private static let longestDelay: Int64 = 3_600_000

  private struct WrongPINs {
    var count: UInt64 = 0
    var last = Timestamp(milliseconds: 0)
  }

  let folder: String?
  let vault: VaultID
  let vaultPath: String

  /// Tries a PIN, unless too many were wrong.
  ///
  /// The attempt is counted before, so that ending the program in between tries nothing for free.
  ///
  /// - Parameters:
  ///   - item: The item whose PIN it is.
  ///   - now: The time of day; one that was set back shortens no delay.
  ///   - key: Authenticates the count.
  ///   - open: Opens the secret.
  /// - Returns: The result of `open`.
  /// - Throws: ``VaultError/Code/tooManyAttempts``, with the delay in its context;
  ///   ``VaultError/Code/busy`` if another process does not release the count; the errors of
  ///   `open`.
  func attempt<R>(
    _ item: ItemID, at now: Timestamp, _ key: RecordKey, _ open: () throws(VaultError) -> R
  ) throws(VaultError) -> R {
    let place = PlaceID("\(vaultPath)\0\(item)")
    let file = StateFile(
      folder: folder, name: "\(vault.hex)-\(place.hex).attempts", byteCount: Self.byteCount)
    guard file.open() else { return try open() }
    // A right PIN must not be refused because another process, which holds this for an instant, has
    // no processor meanwhile.
    try file.locked(milliseconds: 2000) { (isLocked) throws(VaultError) in
      guard isLocked else { throw VaultError(.busy, "another process is trying PINs") }
      var wrong = read(file, place, key)
      if wrong.last > now.adding(milliseconds: Self.longestDelay) {
        // A clock was wrong by more than any delay: the delay begins now.
        wrong.last = now
        write(wrong, to: file, at: place, key)
      }
      try Self.require(wrong, at: now)
      write(WrongPINs(count: wrong.count + 1, last: now), to: file, at: place, key)
    }
    do throws(VaultError) {
      let result = try open()
      file.locked { if $0 { write(WrongPINs(), to: file, at: place, key) } }
      return result
    } catch {
      // A failure for another reason told nothing about the PIN; others may have tried meanwhile.
      if error.code != .authenticationFailed {
        file.locked { isLocked in
          var wrong = read(file, place, key)
          wrong.count -= min(wrong.count, 1)
          if isLocked { write(wrong, to: file, at: place, key) }
        }
      }
      throw error
    }
  }

  /// Checks that the delay is over.
  private static func require(_ wrong: WrongPINs, at now: Timestamp) throws(VaultError) {
    guard wrong.count >= free else { return }
    let doublings = min(wrong.count - UInt64(free), 12)
    let end = wrong.last.adding(milliseconds: min(1000 << Int64(doublings), longestDelay))
    guard now < end else { return }
    let seconds = (end.milliseconds - now.milliseconds + 999) / 1000
    throw VaultError(
      .tooManyAttempts, "\(wrong.count) wrong PINs were tried; the next may be in \(seconds) s")
  }

  private func read(_ file: StateFile, _ place: PlaceID, _ key: RecordKey) -> WrongPINs {
    guard let bytes = file.read(), bytes.starts(with: Self.magic), key.isAuthentic(bytes, at: place)
    else { return WrongPINs() }
    return WrongPINs(
      count: UInt64(littleEndianIn: bytes, at: 8),
      last: Timestamp(milliseconds: Int64(bitPattern: UInt64(littleEndianIn: bytes, at: 16))))
  }

  private func write(_ wrong: WrongPINs, to file: StateFile, at place: PlaceID, _ key: RecordKey) {
    var bytes = Self.magic
    wrong.count.appendLittleEndian(to: &bytes)
    UInt64(bitPattern: wrong.last.milliseconds).appendLittleEndian(to: &bytes)
    file.write(key.sealed(bytes, at: place))
  }
}

extension FileStore {
  /// Tries a PIN of an item, unless too many were wrong, as ``PINAttempts`` says; the file is not
  /// locked meanwhile.
  package func attemptPIN<R>(
    of item: ItemID, at now: Timestamp, _ open: () throws(VaultError) -> R
  ) throws(VaultError) -> R {
    let (attempts, key) = try locked { (file) throws(VaultError) in
      try file.read { (_) throws(VaultError) in
        (file.pinAttempts, try file.requireUnlocked().requireRecordKey())
      }
    }
    return try attempts.attempt(item, at: now, key, open)
  }
}
