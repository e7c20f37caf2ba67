import CredentialVault
import Glibc
import VaultModel

/// An error that ended a command, for ``Hint``.
struct Failure {
  let error: VaultError
  /// The command that was run; nil if the command line names none.
  var command: Command?
  /// The paths that were named on the command line.
  var paths: [String] = []
  /// Whether the command was told to be about one item.
  var isOneItem = false
  /// The variable that named the key, if no option did.
  var keyVariable: String?
  /// Whether the user would be prompted for a passphrase without that variable.
  var mayPrompt = false
  /// Whether the first word was taken for an item, because it is no command.
  var isImplied = false

  /// The vault that was named last.
  var path: String? { paths.last }

  /// The command with room for its action, which comes before its options.
  var name: String {
    (command?.name ?? "COMMAND") + (command?.operands.words.isEmpty ?? true ? "" : " …")
  }

  /// The options that name the vaults again in a command that is pasted.
  var vaults: String { paths.map { " --vault \(Hint.quoted($0))" }.joined() }
}

/// The next step to try, for each error that has one.
enum Hint {
  /// Returns the reference of one item by its user, if that tells all of them apart.
  private static func example(of items: [Item]) -> String? {
    guard let first = items.first, !first.account.isEmpty, !first.server.isUnset,
      Set(items.map(\.account)).count == items.count
    else { return nil }
    return "\(first.account)@\(first.server.name)"
  }

  /// Returns a command to try; nil if there is none.
  static func text(for failure: Failure) -> String? {
    // Do not `chown` it to the user: it would then count as the vault's own.
    if case .sideFile(let path) = failure.error.subject { return doctor(for: path, failure.path) }
    let text = failure.command?.hints(failure)[failure.error.code] ?? general(failure)
    guard [.locked, .authenticationFailed].contains(failure.error.code),
      let way = ReplicaHint.withoutKey(failure.path ?? foundVault(), failure.vaults)
    else { return text }
    return text.map { $0 + "; " + way } ?? way
  }

  private static func general(_ failure: Failure) -> String? {
    let (error, vaults, vault) = (failure.error, failure.vaults, failure.path)
    switch error.code {
    case .invalidArgument:
      return "vaultctl help" + (failure.command.map { " \($0.name)" } ?? "")
    case .locked where error.subject == .passphrase:
      return "vaultctl unlock\(vaults) at a terminal, or vaultctl \(failure.name)\(vaults)"
        + " --passphrase-file FILE"
    case .locked:
      return "vaultctl \(failure.name)\(vaults) --key-file FILE, --passphrase-file FILE, or set"
        + " VAULTCTL_KEY_FILE"
    case .authenticationFailed where error.subject == .otherFile:
      return
        "--file-passphrase-file and --file-passphrase-fd name the passphrase of the file itself"
    case .authenticationFailed:
      guard let variable = failure.keyVariable else { return "check the passphrase and --key-file" }
      guard failure.mayPrompt else { return "check \(variable)" }
      return "check the passphrase and \(variable); \(variable)= vaultctl"
        + " \(failure.command?.name ?? "")\(vaults) … prompts for a passphrase"
    case .itemNotFound where failure.isImplied:
      return "vaultctl list\(vaults) shows the items, and vaultctl help the commands"
    case .itemNotFound:
      return
        "vaultctl list\(vaults) shows all, and vaultctl search TEXT those with a part of a name"
    case .duplicateItem:
      return "vaultctl add -U … changes the existing item"
    case .ambiguous:
      return "name one by its id" + (example(of: error.candidates).map { ", or as \($0)" } ?? "")
        + ", or add -a, -P, -d or -p"
    case .conflict:
      return "vaultctl show prints the item's current revision"
    case .expired:
      return
        "vaultctl modify gives it a new secret, or another --expires; vaultctl purge removes it"
    case .policyRefused:
      return "vaultctl policy explain\(vaults) URL"
    case .vaultNotFound where ReplicaHint.again(vault) != nil:
      return ReplicaHint.again(vault)
    case .vaultNotFound where vault == nil && isListed:
      return "vaultctl search-list remove PATH takes a vault that is gone out of the list"
    case .vaultNotFound:
      return "vaultctl init makes one; vaultctl restore FILE restores one; --vault or"
        + " VAULTCTL_VAULT names another"
    case .vaultExists:
      return "vaultctl init --vault FILE makes one elsewhere"
    case .damaged:
      return "vaultctl verify\(vaults)"
    case .busy:
      return "vaultctl \(failure.name)\(vaults) --lock-timeout 60 waits longer"
    case .unsafePermissions where error.subject == .onlyRead:
      return "its owner can mend that; owner:USER in the configuration names a user whom it may"
        + " belong to"
    case .unsafePermissions where isOfAnotherProgram(error.remedy, vault):
      return "the file is not a vault: --vault names one"
    case .unsafePermissions where error.remedy != nil:
      return error.remedy.map(mending)
    case .unsafePermissions where error.underlying == .errno(EOPNOTSUPP):
      return "name a place on another file system, or mount this one so that only you can use it"
    case .unsafePermissions where !isAboutAccess(error):
      return "vaultctl doctor\(vaults)"
    case .unsafePermissions:
      return
        "chmod 600 the file, chmod 700 its folder, and make both your own; --trust-folder DIR, or"
        + " VAULTCTL_TRUSTED_FOLDERS, if only people you trust can write to DIR; vaultctl doctor"
        + " tells more"
    case .rolledBack, .forked:
      return setBack(failure, "vaultctl merge OTHER, if OTHER is the file that was here; ")
    case .anotherVault:
      return "vaultctl info\(vaults) --accept-vault, if it was put there on purpose"
    case .outcomeUnknown:
      return "vaultctl show tells whether the change was made"
    default:
      return nil
    }
  }

  /// Returns the way on after the file or its server went back in time, with another way first.
  static func setBack(_ failure: Failure, _ first: String = "") -> String? {
    ReplicaHint.text(for: failure.error, named: failure.path, found: foundVault())
      ?? accepting(failure.path).map { first + $0 }
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
  private static func isOfAnotherProgram(_ remedy: AccessRemedy?, _ named: String?) -> Bool {
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
  private static func mending(_ remedy: AccessRemedy) -> String {
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

  static func foundVault() -> String? {
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
