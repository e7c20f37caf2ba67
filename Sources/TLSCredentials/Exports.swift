// A vault keeps identities and what was decided about servers.
@_exported public import CredentialVault
