import CredentialVault
import Glibc
import VaultModel

/// The next step to try, for each error that has one.
enum Hint {
  /// Returns the reference of one item by its user, if that tells all of them apart.
  private static func example(of items: [InternetPassword]) -> String? {
    guard let first = items.first, !first.account.isEmpty, !first.server.isUnset,
      Set(items.map(\.account)).count == items.count
    else { return nil }
    return "\(first.account)@\(first.server.name)"
  }

  /// Returns a command to try.
  ///
  /// - Parameters:
  ///   - error: The error that occurred.
  ///   - command: The command that was run.
  ///   - vaults: The paths that were named on the command line: a command that is pasted names
  ///     them again.
  ///   - isOneItem: Whether the command was told to be about one item.
  ///   - keyVariable: The variable that named the key, if no option did.
  ///   - mayPrompt: Whether the user would be prompted for a passphrase without that variable.
  /// - Returns: Nil if there is nothing to try.
  static func text(
    for error: VaultError, command: Command?, vaults: [String] = [],
    isOneItem: Bool = false, keyVariable: String? = nil, mayPrompt: Bool = false
  ) -> String? {
    // The command's action comes before its options.
    let isTwoWords = command.map { !$0.operands.words.isEmpty } ?? false
    let name = (command?.name ?? "COMMAND") + (isTwoWords ? " …" : "")
    let command = command?.name
    let vault = vaults.last
    let at = vaults.map { " --vault \(quoted($0))" }.joined()
    // It must not be made the user's own, which would make it the vault's.
    if case .sideFile(let path) = error.subject { return doctor(for: path, vault) }
    switch error.code {
    case .invalidArgument:
      return command.map { $0 == "help" ? "vaultctl help" : "vaultctl help \($0)" }
        ?? "vaultctl help"
    case .locked where error.subject == .passphrase:
      return "vaultctl unlock\(at) at a terminal, or vaultctl \(name)\(at) --passphrase-file FILE"
    case .locked:
      return "vaultctl \(name)\(at) --key-file FILE, --passphrase-file FILE, or set"
        + " VAULTCTL_KEY_FILE"
    case .authenticationFailed where error.subject == .otherFile:
      return
        "--file-passphrase-file and --file-passphrase-fd name the passphrase of the file itself"
    case .authenticationFailed:
      guard let keyVariable, command != "rekey", command != "passwd" else {
        return "check the passphrase and --key-file"
      }
      guard mayPrompt else { return "check \(keyVariable)" }
      return "check the passphrase and \(keyVariable); \(keyVariable)= vaultctl"
        + " \(command ?? "")\(at) … prompts for a passphrase"
    case .duplicateItem where command == "search-list":
      return "vaultctl search-list show"
    case .itemNotFound where command == "identity" || command == "trust",
      .ambiguous where command == "identity" || command == "trust":
      return "vaultctl \(command ?? "") list\(at) shows all; name one by its id"
    case .duplicateItem where command == "identity", .expired where command == "identity":
      return "vaultctl identity import -U … replaces it, and keeps its history"
    case .itemNotFound where command == "fleet", .duplicateItem where command == "fleet":
      return "vaultctl fleet machines\(at)"
    case .cannotCreate where command == "fleet":
      return "--new-key-file and --vault name other places"
    case .itemNotFound where command == "slot":
      return "vaultctl slot list\(at)"
    case .itemNotFound where command == "passwd":
      return "vaultctl slot add passphrase\(at)"
    case .itemNotFound where command == "policy", .duplicateItem where command == "policy",
      .ambiguous where command == "policy":
      return "vaultctl policy list\(at)"
    case .itemNotFound where command == "history" || command == "revert":
      return "vaultctl list\(at) shows the items, and vaultctl history REF the previous secrets of"
        + " one"
    case .itemNotFound where command == "trash", .ambiguous where command == "trash":
      return "vaultctl trash list\(at) shows when each was removed; name one by its id"
    case .duplicateItem where command == "trash":
      return "vaultctl rm, or vaultctl modify with --set-…, makes room for it"
    case .itemNotFound:
      return "vaultctl list\(at) shows all, and vaultctl search TEXT those with a part of a name"
    case .duplicateItem:
      return "vaultctl add -U … changes the existing item"
    case .ambiguous:
      return "name one by its id" + (example(of: error.items).map { ", or as \($0)" } ?? "")
        + ", or add -a, -P, -d or -p"
    case .cannotCreate where command == "init":
      return "--key-file and --vault name other places"
    case .conflict where command == "merge":
      return "vaultctl merge\(at) --dry-run OTHER shows the differences, and --prefer ours, theirs"
        + " or newer decides them"
    case .conflict where command == "setup":
      return "vaultctl \(name) prints what it would remove"
    case .conflict where command == "trust":
      return "vaultctl trust check shows what the server sends, and what is known of it"
    case .conflict:
      return "vaultctl show prints the item's current revision"
    case .expired where command == "history" || command == "revert":
      return "vaultctl history REF shows which have not expired"
    case .expired:
      return
        "vaultctl modify gives it a new secret, or another --expires; vaultctl purge removes it"
    case .readOnly where command == "merge" && ReplicaHint.isReplica(vault ?? foundVault()):
      return "vaultctl merge\(at) --key-file MACHINE.KEY --other-key-file FILE OTHER opens each"
        + " with its own key"
    case .policyRefused where command == "unlock":
      return "vaultctl policy remember\(at) shows the vault's limit"
    case .unavailable where command == "unlock":
      return "vaultctl doctor\(at); --key-file and --passphrase-file work without it"
    case .policyRefused:
      return "vaultctl policy explain\(at) URL"
    case .vaultNotFound where command == "lock":
      return "vaultctl lock --all forgets the keys of all vaults, wherever they are"
    case .vaultNotFound where vault == nil && isListed:
      return "vaultctl search-list remove PATH takes a vault that is gone out of the list"
    case .vaultNotFound:
      return "vaultctl init makes one; vaultctl restore FILE restores one; --vault or"
        + " VAULTCTL_VAULT names another"
    case .vaultExists:
      return "vaultctl init --vault FILE makes one elsewhere"
    case .damaged:
      if command == "merge" { return "vaultctl verify --vault FILE says what of it is damaged" }
      if command == "salvage" {
        return "vaultctl restore --item REF FILE takes items from a backup"
      }
      return command == "verify"
        ? "vaultctl restore\(at) --item REF FILE takes items from a backup, and vaultctl salvage\(at)"
          + " OUT saves what still opens" : "vaultctl verify\(at)"
    case .busy:
      return "vaultctl \(name)\(at) --lock-timeout 60 waits longer"
    case .unsafePermissions where error.subject == .onlyRead:
      return "its owner can mend that; owner:USER in the configuration names a user whom it may"
        + " belong to"
    case .readOnly where error.subject == .onlyRead && command == "modify":
      return "vaultctl add stores an item of your own, which is found first if the default vault"
        + " comes first in vaultctl search-list show"
    case .unsafePermissions where isOfAnotherProgram(error.remedy, vault):
      return "the file is not a vault: --vault names one"
    case .unsafePermissions where error.remedy != nil:
      return error.remedy.map(mending)
    case .unsafePermissions where error.underlying == .errno(EOPNOTSUPP):
      return "name a place on another file system, or mount this one so that only you can use it"
    case .unsafePermissions where !isAboutAccess(error):
      return "vaultctl doctor\(at)"
    case .unsafePermissions:
      return
        "chmod 600 the file, chmod 700 its folder, and make both your own; --trust-folder DIR, or"
        + " VAULTCTL_TRUSTED_FOLDERS, if only people you trust can write to DIR; vaultctl doctor"
        + " tells more"
    case .rolledBack where command == "restore" && !isOneItem:
      return "give a key that opens the vault's file too, or --remove-slots for a new key that only"
        + " this one opens, or move the file away to restore the backup with its slots"
    case .rolledBack where command == "merge" && error.subject == .backup:
      return "vaultctl merge --vault OTHER VAULT, and then put OTHER in the vault's place"
    case .rolledBack, .forked:
      if let hint = ReplicaHint.text(for: error, named: vault, found: foundVault()) { return hint }
      let merge = "vaultctl merge OTHER, if OTHER is the file that was here; "
      return accepting(vault).map { command == "merge" ? $0 : merge + $0 }
    case .anotherVault:
      return "vaultctl info\(at) --accept-vault, if it was put there on purpose"
    case .missingInput where command == "restore" && error.subject == .backup:
      return "name a backup, as vaultctl backup made it"
    case .outcomeUnknown:
      return "vaultctl show tells whether the change was made"
    default:
      return nil
    }
  }

  /// Returns commands that accept the file as it is and can be pasted: they restore a copy of it on
  /// purpose.
  private static func accepting(_ named: String?) -> String? {
    guard let path = named ?? foundVault() else { return nil }
    let (vault, copy) = (quoted(path), quoted(path + ".copy"))
    let option = named == nil ? "" : " --vault \(vault)"
    return "vaultctl restore\(option) BACKUP, or to take the file as it is: "
      + "cp \(vault) \(copy) && vaultctl restore\(option) \(copy) && rm \(copy)"
  }

  /// Returns whether permissions or the owner are wrong, rather than a link or foreign file in the
  /// way.
  private static func isAboutAccess(_ error: VaultError) -> Bool {
    if case .errno(let number) = error.underlying { return number != ELOOP }
    return false
  }

  /// Returns whether a remedy would lock a file away from its program: one that was named as the
  /// vault by mistake, such as `/etc/passwd`.
  private static func isOfAnotherProgram(_ remedy: Remedy?, _ named: String?) -> Bool {
    guard case .takeOwnership(let path, .file) = remedy, let named else { return false }
    // The paths are C strings during the calls, and realpath's result is freed once.
    let place = unsafe realpath(named, nil)
    defer { unsafe free(place) }
    guard unsafe place.map({ unsafe String(cString: $0) }) == path else { return false }
    let file = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return false }
    // SQLite's locks on it would be released, but nothing has opened it: it was refused.
    defer { close(file) }
    let magic = Array("SQLite format 3\0".utf8)
    var bytes = [UInt8](repeating: 0, count: magic.count)
    // The buffer has as many bytes as are read.
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
    return count > 0 && bytes != magic
  }

  /// Returns the command for a remedy, and the way out for who does not want it.
  private static func mending(_ remedy: Remedy) -> String {
    let command = RemedyText.text(for: remedy)
    return switch remedy {
    case .makePrivate(let folder), .removeWriteAccess(let folder, _):
      command + "; or --trust-folder \(quoted(folder)) or"
        + " VAULTCTL_TRUSTED_FOLDERS=\(quoted(folder)), if only people you trust can write there"
    default: command
    }
  }

  private static func doctor(for path: String, _ named: String?) -> String {
    let isDefault = named == nil && path == foundVault()
    guard path.hasPrefix("/"), !isDefault else { return "vaultctl doctor" }
    return "vaultctl doctor --vault \(quoted(path))"
  }

  /// Whether the user's list has several vaults.
  private static var isListed: Bool {
    do throws(VaultError) {
      return try VaultLocation.list([]).vaults.count > 1
    } catch {
      return false
    }
  }

  private static func foundVault() -> String? {
    do throws(VaultError) {
      return try VaultLocation.find()
    } catch {
      return nil
    }
  }

  /// Returns the text as one word of the shell.
  static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte | 0x20 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
      default: "/._-+@%=:,".utf8.contains(byte)
      }
    }
    return isPlain ? text : "'" + text.replacing("'", with: "'\\''") + "'"
  }
}
