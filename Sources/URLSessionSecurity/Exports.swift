// One import is enough for code that has challenges of TLS.
@_exported public import Security
@_exported public import VaultURLSession
