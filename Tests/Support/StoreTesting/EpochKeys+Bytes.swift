package import VaultCrypto
import VaultModel

extension EpochKeys {
  /// Creates the keys of a test's vault key.
  package convenience init(
    vaultKey: [UInt8], ident: Ident = Ident(vaultID: VaultID(), epoch: 1)
  ) {
    // The span is of an array that lives until the call returns.
    unsafe self.init(VaultKey(copying: vaultKey.span.bytes), ident: ident)
  }
}
