import VaultModel

/// What to try next, for each error that has an answer.
enum Hint {
  static func text(for error: VaultError, command: String?) -> String? {
    let name = command ?? "COMMAND"
    switch error.code {
    case .invalidArgument:
      return command.map { "vaultctl help \($0)" } ?? "vaultctl help"
    case .locked:
      return "vaultctl \(name) --key-file FILE, --passphrase-file FILE, or set VAULTCTL_KEY_FILE"
    case .authenticationFailed:
      return "check the passphrase, --key-file and VAULTCTL_KEY_FILE"
    case .itemNotFound where command == "slot":
      return "vaultctl slot list"
    case .itemNotFound, .expired:
      return "vaultctl list"
    case .duplicateItem:
      return "vaultctl add -U … changes the item that exists"
    case .ambiguous:
      return "add -a, -P, -d or -p, or name one with --id"
    case .vaultNotFound:
      return "vaultctl init"
    case .vaultExists:
      return "vaultctl init --vault FILE makes one at another place"
    case .damaged:
      if command == "salvage" {
        return "vaultctl restore --item REF FILE takes items from a backup"
      }
      return command == "verify"
        ? "vaultctl restore --item REF FILE takes items from a backup, and vaultctl salvage OUT saves"
          + " what still opens" : "vaultctl verify"
    case .busy:
      return "vaultctl \(name) --lock-timeout 60 waits longer"
    case .unsafePermissions:
      return "chmod 600 the file, chmod 700 its folder, and make both your own"
    case .outcomeUnknown:
      return "vaultctl show tells whether the change is there"
    default:
      return nil
    }
  }
}
