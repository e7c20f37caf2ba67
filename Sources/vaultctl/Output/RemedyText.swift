import CredentialVault
import VaultModel

/// A diagnosis's remedies as commands and other words to try.
enum RemedyText {
  /// Returns the words for a remedy.
  static func text(for remedy: Remedy) -> String {
    switch remedy {
    case .makePrivate(let path): "chmod 700 \(path)"
    case .removeWriteAccess(let path, .groupAndOthers): "chmod go-w \(path)"
    case .removeWriteAccess(let path, .others): "chmod o-w \(path)"
    case .takeOwnership(_, .vaultFile): "chmod 600 the file, and make it your own"
    case .takeOwnership(_, .vaultFolder): "chmod 700 the folder, and make it your own"
    case .takeOwnership(let path, .stateFolder): "chmod 700 \(path), and make it your own"
    case .moveAside(let path, let mayBeNeeded):
      "mv \(path) \(path).aside, while no program has the vault open; then vaultctl verify"
        + (mayBeNeeded
          ? ", and where that finds damage vaultctl restore FILE or vaultctl salvage OUT" : "")
    case .removeFile(let path, .nothingIsRunning): "rm \(path), if no vaultctl is running"
    case .removeFile(let path, .notNeeded): "rm \(path), once it is not needed"
    case .removeFile(let path, .writerIsKnown): "look for who can write there, then rm \(path)"
    case .useLocalDisk: "keep the vault on a local disk and copy it with vaultctl backup"
    case .openVault: "vaultctl list; do not copy or remove either file before"
    case .waitLonger: "vaultctl COMMAND --lock-timeout 60 waits longer"
    case .initialize: "vaultctl init"
    case .verify: "vaultctl verify"
    case .restore: "vaultctl restore FILE"
    case .salvage: "vaultctl salvage OUT"
    case .restoreOrSalvage:
      "vaultctl restore FILE, or vaultctl salvage OUT if it ever was a vault"
    case .acceptRollback: "vaultctl restore FILE, if it was put back on purpose"
    case .acceptVault: "vaultctl info --accept-vault, if it was put there on purpose"
    case .diagnoseWithKey: "vaultctl doctor --key-file FILE"
    case .diagnoseWithBothKeys: "the same with --passphrase-file FILE"
    case .listSlots: "vaultctl slot list"
    case .removeSlot(let id): "vaultctl slot remove \(id)"
    case .addRecoveryCode: "vaultctl slot add recovery"
    case .changePassphrase: "vaultctl passwd"
    case .setKeyFile: "VAULTCTL_PASSPHRASE_FILE, or a key file"
    case .setHome: "set HOME or XDG_STATE_HOME"
    case .setClock: "set the clock"
    case .raiseLockedMemoryLimit: "ulimit -l, LimitMEMLOCK= in a unit"
    case .raiseMemoryLimit: "give the process more memory, or unlock with a key file"
    }
  }
}
