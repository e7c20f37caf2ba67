import Glibc
import VaultCrypto
import VaultModel

/// What is remembered of the vault outside of it, and whether the clock can be right.
extension Examination {
  mutating func examineMemory(
    _ seen: SeenRecord, _ ident: Ident, _ current: (head: Head, tag: Tag)?
  ) {
    guard let stateFolder else {
      return add(
        "rollback-memory", .warning, "there is no home: an old copy put back is not noticed",
        hint: "set HOME or XDG_STATE_HOME")
    }
    guard let memory = seen.look() else {
      return examineAbsentMemory(in: stateFolder)
    }
    let text = "generation \(memory.generation) of epoch \(memory.epoch) was seen here"
    guard let current else {
      guard memory.epoch <= ident.epoch else {
        return add(
          "rollback-memory",
          VaultError(.rolledBack, "\(text), and the file is of epoch \(ident.epoch)"),
          hint: "vaultctl restore FILE, if it was put back on purpose")
      }
      return add("rollback-memory", .ok, "\(text); with a key it is compared")
    }
    let verdict = SeenRecord.verdict(
      on: current.head, tag: current.tag, epoch: ident.epoch, seen: memory)
    guard let verdict else {
      return add("rollback-memory", .ok, "\(text), and the file agrees")
    }
    add(
      "rollback-memory", seen.refusal(verdict, current.head, epoch: ident.epoch, seen: memory),
      hint: "vaultctl restore FILE, if it was put back on purpose")
  }

  private mutating func examineAbsentMemory(in folder: String) {
    guard unsafe access(folder, F_OK) == 0 else {
      return add("rollback-memory", .note, "nothing is remembered yet: \(folder) does not exist")
    }
    guard unsafe access(folder, W_OK) == 0 else {
      return add(
        "rollback-memory", .warning,
        "\(folder) cannot be written: an old copy put back is not noticed",
        hint: "chmod 700 \(folder), and make it your own")
    }
    add("rollback-memory", .note, "this vault was not opened here yet")
  }

  mutating func examineClock(committed: Timestamp?) {
    let now = Timestamp.now()
    // The library is younger than that.
    let earliest = Timestamp(milliseconds: 1_767_225_600_000)
    if now < earliest {
      return add(
        "clock", .warning,
        "the clock says \(now.rfc3339), which is past: expiry is not to be trusted",
        hint: "set the clock")
    }
    if let committed, now < committed {
      return add(
        "clock", .warning,
        "the clock says \(now.rfc3339), and the vault was last changed \(committed.rfc3339)",
        hint: "set the clock")
    }
    add("clock", .ok, now.rfc3339)
  }
}
