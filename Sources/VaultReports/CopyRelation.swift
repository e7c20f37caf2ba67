import VaultModel

/// The relation of a copy of a vault to the vault at a path.
public enum CopyRelation: Sendable, Equatable {
  /// There is no vault at the path.
  case noVault
  /// The copy is of another vault.
  case anotherVault
  /// Nothing was written since the copy was made.
  case same
  /// The copy is older; the number of generations was written since.
  case older(UInt64)
  /// The vault at the path is older than the copy by the number of generations.
  case newer(UInt64)
  /// Both were changed since they were the same.
  case forked
  /// The vault was rekeyed since.
  case olderEpoch
  /// The vault at the path is from before it was rekeyed.
  case newerEpoch
  /// The vault at the path cannot be read.
  case unknown
}
