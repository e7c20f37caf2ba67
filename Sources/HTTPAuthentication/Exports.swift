// Requests are authenticated by a vault, and outcomes name challenges.
@_exported public import CredentialVault
@_exported public import HTTPChallenge
