package import SecureMemory

/// The secrets beside the item's own: ``Attribute/furtherSecrets``.
///
/// One that is there but was not read stands as a flag among the extended attributes.
extension Item {
  /// A further secret; nil if there is none, or it was not read.
  package subscript(secret attribute: Attribute) -> Secret? {
    get { if case .secret(let secret) = extended[attribute] { secret } else { nil } }
    set { extended[attribute] = newValue.map { .secret($0) } }
  }

  /// Whether the item has a further secret, also if it was not read.
  package var hasFurtherSecrets: Bool { Attribute.furtherSecrets.contains { extended[$0] != nil } }

  /// Says that there is a further secret, which was not read.
  package mutating func withhold(_ attribute: Attribute) { extended[attribute] = .flag(true) }

  /// Takes the further secrets that another state of the item has, or their absence.
  package mutating func takeFurtherSecrets(of other: Item) {
    for attribute in Attribute.furtherSecrets { extended[attribute] = other.extended[attribute] }
  }

  /// Returns the further secrets that differ from another item's; both were read with secrets.
  package func furtherSecrets(differingFrom other: Item) -> [Attribute] {
    Attribute.furtherSecrets.filter { !hasSame($0, as: other) }
  }
}
