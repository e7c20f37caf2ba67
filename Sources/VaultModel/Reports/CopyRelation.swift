/// How a copy of a vault stands to the vault at a path.
public enum CopyRelation: Sendable, Equatable {
  /// There is no vault at the path.
  case noVault
  /// It is of another vault.
  case anotherVault
  /// Nothing was written since it was made.
  case same
  /// So many generations were written since.
  case older(UInt64)
  /// The vault at the path is older, by so many generations.
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
