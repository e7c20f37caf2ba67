import Glibc
import VaultModel
import VaultReports

/// A diagnosis's remedies as commands and other words to try.
enum RemedyText {
  /// Returns the command that makes a file this user's alone.
  ///
  /// In a volume that is mounted read-only, as containers get secrets, that is a copy.
  private static func keeping(_ path: String) -> String {
    // The path is a C string during the call.
    if unsafe access(path, W_OK) != 0, errno == EROFS {
      return "nothing can be changed there: install -m 600 \(Hint.quoted(path)) COPY, in a folder"
        + " of your own, and name COPY; or VAULTCTL_KEY with the text of a key file"
    }
    return "chmod 600 \(Hint.quoted(path))" + owning(path)
  }

  /// Returns the command that makes a folder this user's alone.
  ///
  /// Another user's, as the root of a volume is, gets one below it.
  private static func keeping(folder path: String, _ change: String) -> String {
    guard let owner = owner(of: path), owner != geteuid(), geteuid() != 0 else { return change }
    return "name a vault in a folder of its own below it, as"
      + " \(Hint.quoted(path + "/own/default.vault")), which init makes; or chmod 700"
      + " \(Hint.quoted(path)), and make it your own"
  }

  private static func owning(_ path: String) -> String {
    owner(of: path) == geteuid() ? "" : ", and make it your own"
  }

  private static func owner(of path: String) -> uid_t? {
    var status = stat()
    // The structure is ours.
    return unsafe lstat(path, &status) == 0 ? status.st_uid : nil
  }

  /// Returns the words for a wrong owner or mode.
  static func text(for remedy: AccessRemedy) -> String {
    switch remedy {
    case .makePrivate(let path): keeping(folder: path, "chmod 700 \(Hint.quoted(path))")
    case .removeWriteAccess(let path, .groupAndOthers): "chmod go-w \(Hint.quoted(path))"
    case .removeWriteAccess(let path, .others): "chmod o-w \(Hint.quoted(path))"
    case .takeOwnership(let path, .file): keeping(path)
    case .takeOwnership(let path, .folder):
      keeping(folder: path, "chmod 700 \(Hint.quoted(path))" + owning(path))
    }
  }

  /// Returns the words for a remedy.
  static func text(for remedy: Remedy) -> String {
    switch remedy {
    case .access(let remedy): text(for: remedy)
    case .moveAside(let path, let mayBeNeeded):
      "mv \(Hint.quoted(path)) \(Hint.quoted(path + ".aside")), while no program has the vault"
        + " open; then vaultctl verify"
        + (mayBeNeeded
          ? ", and where that finds damage vaultctl restore FILE or vaultctl salvage OUT" : "")
    case .removeFile(let path, .nothingIsRunning):
      "rm \(Hint.quoted(path)), if no vaultctl is running"
    case .removeFile(let path, .notNeeded): "rm \(Hint.quoted(path)), once it is not needed"
    case .removeFile(let path, .writerIsKnown):
      "look for who can write there, then rm \(Hint.quoted(path))"
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
    case .cloneReplica: "move the replica away, and vaultctl fleet clone makes it anew"
    case .acceptVault: "vaultctl info --accept-vault, if it was put there on purpose"
    case .diagnoseWithKey: "vaultctl doctor --key-file FILE"
    case .diagnoseWithBothKeys(missing: .passphrase): "the same with --passphrase-file FILE"
    case .diagnoseWithBothKeys(missing: .keyFile): "the same with --key-file FILE"
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
