/// What is asked of attributes that few items have, and of few queries.
struct RareMatches: Sendable {
  var comment: Match<String> = .any
  var kind: Match<String> = .any
  var origin: Match<String> = .any
  var accountDomain: Match<String> = .any
  var creator: Match<UInt32> = .any
  var type: Match<UInt32> = .any
  var secretKind: Match<SecretKind> = .any
  var hasExpiry: Match<Bool> = .any
  var custom: [String: Match<String>] = [:]

  static let any = RareMatches()

  func accept(_ item: InternetPassword) -> Bool {
    let rare = item.rareBox?.attributes ?? .none
    return comment.accepts(rare.comment) && kind.accepts(rare.kind)
      && origin.accepts(rare.origin) && accountDomain.accepts(rare.accountDomain)
      && creator.accepts(rare.creator) && type.accepts(rare.type)
      && secretKind.accepts(item.secretKind) && hasExpiry.accepts(item.expires != nil)
      && custom.allSatisfy { name, match in match.accepts(rare.custom[name] ?? "") }
  }
}

/// One allocation for all of them; immutable, so copies of a query share it.
final class RareMatchBox: Sendable {
  let matches: RareMatches

  init(_ matches: RareMatches) {
    self.matches = matches
  }
}

extension ItemQuery {
  /// What the comment has to be.
  public var comment: Match<String> {
    get { rare.comment }
    set { rare.comment = newValue }
  }

  /// What the kind has to be.
  public var kind: Match<String> {
    get { rare.kind }
    set { rare.kind = newValue }
  }

  /// What the origin has to be.
  public var origin: Match<String> {
    get { rare.origin }
    set { rare.origin = newValue }
  }

  /// What NTLM's account domain has to be.
  public var accountDomain: Match<String> {
    get { rare.accountDomain }
    set { rare.accountDomain = newValue }
  }

  /// What the creator's four-character code has to be.
  public var creator: Match<UInt32> {
    get { rare.creator }
    set { rare.creator = newValue }
  }

  /// What the type's four-character code has to be.
  public var type: Match<UInt32> {
    get { rare.type }
    set { rare.type = newValue }
  }

  /// What the secret has to be; a password is what an item has of which nothing else is said.
  public var secretKind: Match<SecretKind> {
    get { rare.secretKind }
    set { rare.secretKind = newValue }
  }

  /// Whether the item has to have a time of its own when it expires.
  public var hasExpiry: Match<Bool> {
    get { rare.hasExpiry }
    set { rare.hasExpiry = newValue }
  }

  /// What custom attributes have to be, by their names; of those that are not named, anything.
  public var custom: [String: Match<String>] {
    get { rare.custom }
    set { rare.custom = newValue }
  }

  private var rare: RareMatches {
    get { rareBox?.matches ?? .any }
    set { rareBox = RareMatchBox(newValue) }
  }
}
