import VaultReports
import Glibc
import SealedTree
import VaultCrypto
import VaultModel

/// Checks of the records about the vault outside of it, and of the clock.
extension Diagnostics {
  mutating func examineMemory(
    _ seen: RollbackRecord, _ ident: Ident,
    _ current: (head: Head, tag: Tag, key: RecordKey, reader: TreeReader)?
  ) {
    guard let stateFolder else {
      return add(
        .rollbackMemory, .warning, "there is no home: an old copy put back is not noticed",
        remedy: .setHome)
    }
    guard let memory = seen.look(current?.key) else {
      return examineAbsentMemory(in: stateFolder)
    }
    let text = "generation \(memory.generation) of epoch \(memory.epoch) was seen here"
    guard let current else {
      guard memory.epoch <= ident.epoch else {
        // Neither can be verified without a key.
        return add(
          .rollbackMemory, .warning,
          "\(text), as a record says, and the file says that it is of epoch \(ident.epoch); with a key it is compared",
          remedy: .diagnoseWithKey)
      }
      return add(.rollbackMemory, .ok, "\(text); with a key it is compared")
    }
    do throws(VaultError) {
      let verdict = try RollbackRecord.verdict(
        on: current.head, tag: current.tag, epoch: ident.epoch, seen: memory
      ) { (generation) throws(VaultError) in
        try current.reader.knownTags(of: generation, in: current.head)
      }
      guard let verdict else {
        return add(.rollbackMemory, .ok, "\(text), and the file agrees")
      }
      add(
        .rollbackMemory, seen.refusal(verdict, current.head, epoch: ident.epoch, seen: memory),
        remedy: ident.isArbitrated ? .cloneReplica : .acceptRollback)
    } catch {
      add(.rollbackMemory, error, remedy: .verify)
    }
  }

  private mutating func examineAbsentMemory(in folder: String) {
    guard unsafe access(folder, F_OK) == 0 else {
      return add(.rollbackMemory, .note, "nothing is remembered yet: \(folder) does not exist")
    }
    guard unsafe access(folder, W_OK) == 0 else {
      return add(
        .rollbackMemory, .warning,
        "\(folder) cannot be written: an old copy put back is not noticed",
        remedy: .access(.takeOwnership(path: folder, of: .folder)))
    }
    add(.rollbackMemory, .note, "nothing is remembered of this vault here yet")
  }

  /// Checks whether the vault is the one that was seen at its path.
  mutating func examinePlace(_ record: PlaceRecord, _ ident: Ident) {
    guard stateFolder != nil else { return }
    do throws(VaultError) {
      guard record.look() != nil else {
        return add(.place, .note, "no vault was unlocked at this path yet")
      }
      try record.check(ident.vaultID)
      add(.place, .ok, "the vault is the one that was seen at this path")
    } catch {
      add(.place, error, remedy: .acceptVault)
    }
  }

  /// Reports records about the vault that were not written with its key.
  mutating func examineUnverified(
    _ seen: RollbackRecord, _ place: PlaceRecord, of ident: Ident, key: RecordKey? = nil
  ) {
    for path in seen.unverified(key) + place.unverified(ident.vaultID, key) {
      add(
        .records, .warning,
        "\(path) was written by a program that could not open the vault: it is not believed, and what was "
          + "remembered before is lost",
        remedy: .removeFile(path: path, once: .writerIsKnown))
    }
  }

  mutating func examineClock(committed: Timestamp?) {
    let now = Timestamp.now()
    // The library is newer than that.
    let earliest = Timestamp(milliseconds: 1_767_225_600_000)
    if now < earliest {
      return add(
        .clock, .warning,
        "the clock says \(now.rfc3339), which is past: expiry is not to be trusted",
        remedy: .setClock)
    }
    if let committed, now < committed {
      return add(
        .clock, .warning,
        "the clock says \(now.rfc3339), and the vault was last changed \(committed.rfc3339)",
        remedy: .setClock)
    }
    add(.clock, .ok, now.rfc3339)
  }
}
