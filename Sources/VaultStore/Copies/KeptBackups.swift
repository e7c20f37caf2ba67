import Glibc
import SealedTree
import VaultCrypto
import VaultModel

/// Limiting the number of backups in a folder.
extension VaultFile {
  /// A backup that was opened and verified.
  private struct Proven {
    let name: BackupName
    let generation: UInt64
    let head: Tag
  }

  /// Removes this vault's backups beside a new one, except for `count` of them.
  ///
  /// Anyone can choose names and dates, so neither counts. A file is counted, and may be removed,
  /// only if it opens with this vault's keys and verifies completely; its age is its sealed
  /// generation. Several copies of one state are kept only if there are not enough states, because
  /// copying a backup must not displace the others.
  func removeBackups(
    beside backup: Backup, keeping count: Int
  ) throws(VaultError) -> Backup {
    let new = try VaultPath(backup.path)
    let keys = try requireUnlocked().keys
    var backup = backup
    var others: [Proven] = []
    for name in try Posix.names(in: new.folder).sorted() where name != new.name {
      guard let other = BackupName(name, of: path) else { continue }
      let file = try VaultPath("\(new.folder)/\(name)")
      do throws(VaultError) {
        let head = try prove(file, with: keys)
        others.append(Proven(name: other, generation: head.generation, head: head.tag))
      } catch {
        // Another backup may be removing some at the same time.
        guard try Posix.information(file.path) != nil else { continue }
        backup.uncounted.append((file.path, error.text))
      }
    }
    others.sort { ($0.generation, $0.name) > ($1.generation, $1.name) }
    for name in Self.surplus(of: others, beside: backup.head, keeping: count) {
      let file = "\(new.folder)/\(name.text)"
      guard unsafe unlink(file) == 0 else {
        if errno == ENOENT { continue }
        throw Posix.failure(file, .inputOutput)
      }
      backup.removed.append(file)
    }
    if !backup.removed.isEmpty { try Posix.synchronize(folder: new.folder) }
    return backup
  }

  /// Returns the surplus backups in `others`, which are ordered from the newest.
  ///
  /// The newest copy of each state except the new one's is kept first, then further copies, until
  /// there are `count` with the new one.
  private static func surplus(
    of others: [Proven], beside new: Tag, keeping count: Int
  ) -> [BackupName] {
    var states: Set<Tag> = [new]
    let isFirst = others.map { states.insert($0.head).inserted }
    var room = count - 1
    var isKept = [Bool](repeating: false, count: others.count)
    for wanted in [true, false] {
      for index in others.indices where isFirst[index] == wanted && room > 0 {
        isKept[index] = true
        room -= 1
      }
    }
    return others.indices.filter { !isKept[$0] }.map { others[$0].name }
  }

  /// Opens and verifies a file as a backup of this vault.
  ///
  /// - Throws: The reason why it is not a backup of this vault, or cannot be verified.
  private func prove(
    _ other: VaultPath, with keys: EpochKeys
  ) throws(VaultError) -> (generation: UInt64, tag: Tag) {
    let file = try VaultFile(path: other, stateFolder: nil, lockTimeout: .zero, role: .backup)
    guard file.identity != identity else {
      throw VaultError(.invalidArgument, "it is the vault itself")
    }
    guard file.ident.vaultID == ident.vaultID else {
      throw VaultError(.invalidArgument, "it is of another vault")
    }
    guard file.ident.epoch == ident.epoch else {
      throw VaultError(
        .invalidArgument,
        "it is of epoch \(file.ident.epoch) of the vault's key, which does not open any more")
    }
    try file.unlock(with: keys)
    let (head, tag) = try file.checkCopy()
    return (head.generation, tag)
  }
}

/// The name of a backup in a folder: `default-20260131T235959Z.vault`.
struct BackupName: Comparable {
  private static let suffix = ".vault"
  /// The part before the time.
  private let stem: String
  private let time: String
  /// 1, or more for another backup of the same second.
  private let number: Int

  init(of vault: VaultPath, at time: Timestamp, number: Int = 1) {
    stem = Self.stem(of: vault)
    self.time = time.compact
    self.number = number
  }

  /// Parses a name; nil unless it is the name of a backup of this vault.
  init?(_ name: String, of vault: VaultPath) {
    stem = Self.stem(of: vault)
    guard name.hasPrefix(stem + "-"), name.hasSuffix(Self.suffix) else { return nil }
    let parts = name.dropFirst(stem.count + 1).dropLast(Self.suffix.count)
      .split(separator: "-", omittingEmptySubsequences: false)
    let digits = parts.count == 2 ? parts[1] : "1"
    guard let time = parts.first, (1...2).contains(parts.count), Self.isTime(time),
      let number = Int(digits), number > 0
    else { return nil }
    self.time = String(time)
    self.number = number
    guard text == name else { return nil }
  }

  var text: String {
    "\(stem)-\(time)" + (number == 1 ? "" : "-\(number)") + Self.suffix
  }

  static func < (left: BackupName, right: BackupName) -> Bool {
    (left.time, left.number) < (right.time, right.number)
  }

  private static func stem(of vault: VaultPath) -> String {
    let name = vault.name
    return name.hasSuffix(suffix) && name != suffix ? String(name.dropLast(suffix.count)) : name
  }

  /// Returns whether a text has the form `20260131T235959Z`.
  private static func isTime(_ text: Substring) -> Bool {
    text.utf8.count == 16
      && zip(text.utf8, "00000000T000000Z".utf8).allSatisfy { byte, model in
        model == UInt8(ascii: "0")
          ? (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) : byte == model
      }
  }
}
