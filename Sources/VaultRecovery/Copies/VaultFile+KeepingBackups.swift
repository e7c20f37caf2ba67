import Glibc
import SealedTree
import VaultCrypto
import VaultFile
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
        backup.uncounted.append((file.path, error.text))
      }
    }
    others.sort { ($0.generation, $0.name) > ($1.generation, $1.name) }
    for name in Self.surplus(of: others, beside: backup.head, keeping: count) {
      let file = "\(new.folder)/\(name.text)"
      guard unsafe unlink(file) == 0 else { throw Posix.failure(file, .inputOutput) }
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
