// What every client of the administration names in its code.
@_exported public import CredentialVault
@_exported public import VaultReports
