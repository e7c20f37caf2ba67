import CredentialVault
import Glibc
import VaultModel

/// Rotates the vault's key, keeping the slot of the key file.
func rekey(_ arguments: Arguments) throws(VaultError) {
  let vault = try arguments.openVault()
  let done = try vault.keys.changeKey(keeping: [.keyFile(arguments["key"])])
  say("epoch \(done.epoch)")
}
