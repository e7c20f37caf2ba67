// A vault authenticates the requests, and outcomes name challenges.
@_exported public import CredentialVault
@_exported public import HTTPChallenge
@_exported public import GSSAuthentication
