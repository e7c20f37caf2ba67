// The values, errors and secrets that clients of a vault name in their code.
@_exported public import SecureMemory
@_exported public import VaultModel
