import SecureMemory
import VaultCrypto
import VaultModel
import VaultStorage

/// Something that a program does to a vault: a row of the tables of kills, failing calls and power cuts.
package enum Operation: String, CaseIterable, Sendable {
  case create
  case open
  case unlock
  case find
  case verify
  case add
  case modify
  case remove
  case large
  case batch
  case backup
  case rekey
  case addSlot
  case removeSlot
  case passwd
  case restore
  /// Of a backup from before a rotation.
  case restoreRekeyed
  case restoreDamaged
  case restoreUnreadable
  case restoreMissing

  /// Whether it only looks.
  package var isReading: Bool { [.open, .unlock, .find, .verify].contains(self) }

  package var isRestoring: Bool { rawValue.hasPrefix("restore") }

  /// Whether it begins without an open vault.
  package var isOpening: Bool { self == .create || self == .open || isRestoring }

  /// Whether it makes a second vault beside the first.
  package var hasTarget: Bool { [.create, .backup].contains(self) }

  /// Whether there is a vault before it that can be used.
  package var hasVault: Bool { !isRestoring || self == .restore || self == .restoreRekeyed }

  /// The change of items that it is, if it is one.
  package var workload: Workload? { Workload(rawValue: rawValue) }

  /// A vault that it can be done to, and lies in ruins where that is the point.
  package func scene() throws -> Scene {
    let scene = try Scene(holding: Workload.add.base(Workload.baseCount))
    try prepare(scene)
    return scene
  }

  /// Makes of a vault one that it can be done to.
  package func prepare(_ scene: Scene) throws {
    switch self {
    case .removeSlot, .passwd:
      try scene.withStore { (store) throws(VaultError) in
        _ = try store.addSlot(.passphrase(Secret("old")), name: "", cost: .minimum)
      }
    case .restore, .restoreRekeyed, .restoreDamaged, .restoreUnreadable, .restoreMissing:
      try scene.withStore { (store) throws(VaultError) in
        _ = try store.backUp(to: scene.backup)
        _ = try store.add(Workload.item("since", "since"))
      }
      if self == .restoreRekeyed { _ = try scene.driver("rekey").lines() }
      try ruin(scene.vault)
    default: return
    }
  }

  private func ruin(_ path: String) throws {
    switch self {
    case .restoreDamaged:
      try Database.run("UPDATE node SET sealed = zeroblob(512)", on: path)
    case .restoreUnreadable:
      var bytes = try File.read(path)
      bytes.replaceSubrange(0..<4096, with: repeatElement(0x5A, count: 4096))
      try File.write(bytes, to: path)
    case .restoreMissing: try File.remove(path)
    default: return
    }
  }
}
