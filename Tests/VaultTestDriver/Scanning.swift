import CredentialVault
import VaultModel
func scanMemory(_ arguments: Arguments) throws(VaultError) {}
