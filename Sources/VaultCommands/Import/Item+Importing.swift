import Interchange
import SecureMemory
import VaultModel

// The parts of an entry of a file that an item of the vault may lack.
extension Item {
  /// Attributes by which programs know items of their own: no file says them.
  private static let ofPrograms: Set<Attribute> = [.origin]

  private static let compared = Attribute.all.filter {
    !$0.isOfKey && !$0.isReadOnly && $0 != .secret && $0 != .custom && !ofPrograms.contains($0)
  }

  /// Returns whether both items have the same secret.
  ///
  /// One that has expired is not opened any more: it is the same if it was set at the same time, to
  /// expire at the same time. Two that are to have no password have the same.
  func hasSameSecret(as other: Item) -> Bool {
    guard let mine = storedSecret, let theirs = other.storedSecret else {
      return isNegative && other.isNegative
        || expires != nil && expires == other.expires && secretChanged == other.secretChanged
    }
    return mine.isEqual(to: theirs)
  }

  /// Returns the names of what this item has and another with its secret has not.
  ///
  /// Times do not count: few formats have them.
  func parts(missingFrom known: Item) -> [String] {
    var parts = Self.compared.filter { attribute in
      switch attribute {
      case .label: !label.isEmpty && !known.says(label)
      case .comment: !comment.isEmpty && !known.says(comment: comment)
      default: differs(from: known, in: attribute)
      }
    }.map(\.name)
    parts += custom.filter { known.custom.place(for: $0.value, named: $0.key) != nil }.keys.sorted()
    return parts
  }

  /// Returns whether an attribute is set here, and not the same in the other item.
  private func differs(from known: Item, in attribute: Attribute) -> Bool {
    guard let value = self[attribute] else { return false }
    return known[attribute].map { !$0.isSame(as: value) } ?? true
  }

  private func says(_ label: String) -> Bool {
    self.label.hasSameBytes(as: label)
      || custom.place(for: label, named: Self.titleAttribute) == nil
  }

  private func says(comment other: String) -> Bool {
    comment.hasSameBytes(as: other) || "\n\(comment)\n".contains("\n\(other)\n")
  }

  /// The custom attribute with the title of a second entry for the same password.
  private static let titleAttribute = "title"

  /// Returns the changes that give another item what it lacks of this one, beside what it has; nil
  /// if it can have that only once.
  func additions(to known: Item) -> [ItemChange]? {
    var (changes, texts): ([ItemChange], [String: String]) = ([], known.custom)
    for attribute in Self.compared {
      switch attribute {
      case .label where !label.isEmpty && !known.says(label):
        guard texts.take(label, named: Self.titleAttribute) else { return nil }
      case .comment where !comment.isEmpty && !known.says(comment: comment):
        let both = known.comment.isEmpty ? comment : "\(known.comment)\n\(comment)"
        guard both.utf8.count <= Attribute.comment.longest else { return nil }
        changes.append(ItemChange(.comment, .text(both)))
      case .label, .comment: continue
      default:
        guard differs(from: known, in: attribute) else { continue }
        guard known[attribute] == nil else { return nil }
        changes.append(ItemChange(attribute, self[attribute]))
      }
    }
    for (name, text) in custom { guard texts.take(text, named: name) else { return nil } }
    let added = texts.filter { known.custom[$0.key] == nil }
    return changes + added.map { ItemChange.custom($0, $1) }
  }

  /// Returns the changes that give an item all attributes that are set here; the others are kept.
  ///
  /// A new secret also replaces the old one's expiry and refresh token.
  func changes(of known: Item) -> [ItemChange] {
    var changes = custom.map { ItemChange.custom($0, $1) }
    for attribute in Attribute.all
    where !attribute.isOfKey && !attribute.isReadOnly && attribute != .custom {
      if let value = self[attribute] { changes.append(ItemChange(attribute, value)) }
    }
    let hasSame =
      known.hasSameSecret(as: self)
      && known.furtherSecrets(differingFrom: self).allSatisfy { self[$0] == nil }
    guard !hasSame else { return changes }
    return changes + [
      .expires(expires), .refreshToken(refreshToken), .secretKind(secretKind),
      .certificates(certificates),
    ]
  }
}

extension [String: String] {
  /// Adds a text under a name, or under that with a number; returns whether there was room.
  fileprivate mutating func take(_ text: String, named name: String) -> Bool {
    guard let place = place(for: text, named: name) else { return true }
    guard count < Item.mostCustomAttributes, text.utf8.count <= Attribute.custom.longest else {
      return false
    }
    self[place] = text
    return true
  }
}
