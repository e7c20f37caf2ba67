// What a client of a vault writes down: its values, its errors and its secrets.
@_exported public import SecureMemory
@_exported public import VaultModel
