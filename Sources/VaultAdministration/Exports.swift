// The vault and the reports that clients of the administration name in their code.
@_exported public import CredentialVault
@_exported public import VaultReports
