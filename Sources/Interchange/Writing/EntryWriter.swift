import SecureMemory
package import VaultModel

/// Writes items in one format, each at once, in bounded memory.
package protocol EntryWriter {
  /// Writes what comes before the items.
  ///
  /// - Throws: Any error of the sink, as all functions here.
  mutating func begin() throws(VaultError)

  /// Writes an item with its secret, or leaves it out.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - isDefault: Whether it is the default credential of its space.
  ///   - previous: The secrets that it had before, the newest first; those without a secret have
  ///     expired.
  /// - Returns: The parts of it that are not in the file.
  /// - Throws: Any error of the sink.
  mutating func write(
    _ item: Item, isDefault: Bool, previous: [PreviousSecret]
  ) throws(VaultError) -> WritingResult

  /// Writes an item of the trash, as ``write(_:isDefault:previous:)`` does, or leaves it out.
  mutating func write(
    removed item: Item, at time: Timestamp, previous: [PreviousSecret]
  ) throws(VaultError) -> WritingResult

  /// Writes the rules of the vault's policy after all items; false if the format has no place.
  mutating func write(_ rules: [PersistencePolicy.Rule]) throws(VaultError) -> Bool

  /// Writes what could not be read where the items come from, after all items; nothing if the
  /// format has no place.
  mutating func write(leftOut parts: [(title: String, reason: String)]) throws(VaultError)

  /// Writes what comes after the items, and the rest of what was collected.
  mutating func end() throws(VaultError)
}

/// Writes the passwords of items in the format of another program, which has no place for anything
/// else that a secret can be.
protocol PasswordWriter: EntryWriter {
  /// Writes an item with its password, which is not empty, or leaves it out.
  mutating func write(
    _ item: Item, password: Secret, isDefault: Bool
  ) throws(VaultError) -> WritingResult
}

extension PasswordWriter {
  package func begin() {}

  package func write(
    removed item: Item, at time: Timestamp, previous: [PreviousSecret]
  ) -> WritingResult {
    .leftOut(.removed)
  }

  package func write(_ rules: [PersistencePolicy.Rule]) -> Bool { false }

  package func write(leftOut parts: [(title: String, reason: String)]) {}
}

extension PasswordWriter {
  package mutating func write(
    _ item: Item, isDefault: Bool, previous: [PreviousSecret]
  ) throws(VaultError) -> WritingResult {
    // Neither the mark for "no password" nor a client's certificate may come back as a password.
    guard !item.isNegative else { return .leftOut(.negative) }
    guard item.secretKind.withoutPIN != .identity else { return .leftOut(.identity) }
    guard !item.needsPIN else { return .leftOut(.pin) }
    guard let password = item.secret, password.count > 0 else { return .leftOut(.noSecret) }
    let result = try write(item, password: password, isDefault: isDefault)
    guard case .written(let losses) = result, !previous.isEmpty else { return result }
    return .written(losses.union([.previousSecrets]))
  }
}

/// The result of writing one item.
package enum WritingResult: Hashable, Sendable {
  /// It is in the file, without these parts.
  case written(Set<Loss>)
  case leftOut(Omission)
}

/// A part of an item that a format cannot carry.
package enum Loss: Hashable, Sendable, CustomStringConvertible {
  case attribute(Attribute)
  /// The times at which the item was created and changed.
  case times
  /// The parts of a second of these times.
  case fractions
  /// Whether it is the default credential of its space.
  case isDefault
  /// The secrets that it had before.
  case previousSecrets
  /// Those of them that have expired, which nobody opens.
  case expiredSecrets
  /// It is in the file, in quotation marks that not every program understands.
  case quoting

  package var description: String {
    switch self {
    case .attribute(let attribute): attribute.name
    case .times: "times"
    case .fractions: "fractions of a second"
    case .isDefault: "default"
    case .previousSecrets: "previous secrets"
    case .expiredSecrets: "previous secrets that have expired"
    case .quoting: "quoting"
    }
  }
}

/// A reason for which an item is not written at all.
package enum Omission: String, CaseIterable, Sendable {
  case removed = "in the trash"
  case noServer = "no server"
  case noProtocol = "no protocol"
  case noSecret = "no secret"
  case negative = "marked to have no password"
  case identity = "an identity, not a password"
  case pin = "needs a PIN"
  case secretNotText = "secret is not text"
  case lineBreak = "line feed or NUL in a part that needs one line"
}

extension Item {
  /// Returns what a writer cannot carry of the item, if its format has a place for some attributes
  /// beside server, service, account and secret.
  func losses(carrying carried: Set<Attribute>, isDefault: Bool) -> Set<Loss> {
    var losses: Set<Loss> = isDefault ? [.isDefault] : []
    for attribute in Attribute.all where !carried.contains(attribute) {
      switch attribute {
      case .id, .revision, .keptUntil, .server, .service, .account, .secret: continue
      case .created, .modified, .secretChanged: losses.insert(.times)
      case .authenticationMethod:
        let isAny = authenticationMethod == .default || authenticationMethod == .unset
        if !isAny { losses.insert(.attribute(attribute)) }
      // A store fills it in when there is no label.
      case .label where label.hasSameBytes(as: defaultLabel): continue
      default: if self[attribute] != nil { losses.insert(.attribute(attribute)) }
      }
    }
    return losses
  }

  /// The label that a store gives to an item without one.
  private var defaultLabel: String {
    key.server.isUnset ? key.account : key.server.name
  }

  /// Returns the item's address as a URL without a user and a path, as `https://[::1]:8443`,
  /// perhaps with another scheme.
  func address(scheme: String? = nil) -> String {
    let scheme = scheme ?? (`protocol` == .unset ? "https" : `protocol`.rawValue)
    return "\(scheme)://\(authority)"
  }

  /// The server and its port, as a URL has them.
  var authority: String {
    let name = server.name
    // RFC 6874: the zone of a link-local address.
    let host = name.contains(":") ? "[\(name.replacing("%", with: "%25"))]" : name
    return port == 0 ? host : "\(host):\(port)"
  }
}
