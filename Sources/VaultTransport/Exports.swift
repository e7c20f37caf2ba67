// A vault authenticates the requests, and policies judge their servers.
@_exported public import HTTPAuthentication
@_exported public import TLSCredentials
