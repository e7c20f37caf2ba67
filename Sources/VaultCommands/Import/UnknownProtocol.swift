import VaultModel

/// The refusal of a protocol that is one letter off a usual one, such as `htt`, as `add` refuses
/// it.
///
/// Any other name may be a protocol that only some program knows.
enum UnknownProtocol {
  private static let usual = Set(Option.Value.protocols)

  /// Checks an entry's protocol.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` with the protocol that was probably meant.
  static func refuse(_ networkProtocol: NetworkProtocol) throws(VaultError) {
    let isKnown =
      usual.contains(networkProtocol.rawValue) || networkProtocol.defaultPort != nil
      || networkProtocol.fourCharacterCode != nil
    guard !isKnown,
      let meant = Suggestion.nearest(to: networkProtocol.rawValue, among: Option.Value.protocols)
    else { return }
    throw VaultError(.invalidData, "protocol: unknown; did you mean \(meant)?")
  }
}
