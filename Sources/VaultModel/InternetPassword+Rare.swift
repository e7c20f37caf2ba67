public import SecureMemory

/// The attributes that few items have.
struct RareAttributes: Sendable {
  var comment = ""
  var kind = ""
  var origin = ""
  var accountDomain = ""
  var creator: UInt32 = 0
  var type: UInt32 = 0
  var custom: [String: String] = [:]
  var refreshToken: Secret?
  /// Nil if it never was since the item was added.
  var secretChanged: Timestamp?
  var keptUntil: Timestamp?

  static let none = RareAttributes()

  var isEmpty: Bool {
    comment.isEmpty && kind.isEmpty && origin.isEmpty && accountDomain.isEmpty && creator == 0
      && type == 0 && custom.isEmpty && refreshToken == nil && secretChanged == nil
      && keptUntil == nil
  }
}

/// One allocation for all of them; immutable, so copies of an item share it.
final class RareBox: Sendable {
  let attributes: RareAttributes

  init(_ attributes: RareAttributes) {
    self.attributes = attributes
  }
}

extension InternetPassword {
  /// A remark for people, at most 64 KiB.
  public var comment: String {
    get { rareBox?.attributes.comment ?? "" }
    set { updateRare { $0.comment = newValue } }
  }

  /// What people call this kind of item, Apple's description attribute.
  public var kind: String {
    get { rareBox?.attributes.kind ?? "" }
    set { updateRare { $0.kind = newValue } }
  }

  /// What the item came from, such as `app`, `git` or `docker`.
  public var origin: String {
    get { rareBox?.attributes.origin ?? "" }
    set { updateRare { $0.origin = newValue } }
  }

  /// The account domain of NTLM.
  public var accountDomain: String {
    get { rareBox?.attributes.accountDomain ?? "" }
    set { updateRare { $0.accountDomain = newValue } }
  }

  /// The creator's four-character code; 0 for unset.
  public var creator: UInt32 {
    get { rareBox?.attributes.creator ?? 0 }
    set { updateRare { $0.creator = newValue } }
  }

  /// The type's four-character code; 0 for unset.
  public var type: UInt32 {
    get { rareBox?.attributes.type ?? 0 }
    set { updateRare { $0.type = newValue } }
  }

  /// Attributes of the user's own, at most 64.
  ///
  /// Their names, alone of all text, compare as Swift strings do.
  public var custom: [String: String] {
    get { rareBox?.attributes.custom ?? [:] }
    set { updateRare { $0.custom = newValue } }
  }

  /// The OAuth refresh token that belongs to the secret; an empty one is none, nil also if found
  /// without secrets.
  public var refreshToken: Secret? {
    get { rareBox?.attributes.refreshToken }
    set {
      let token = newValue?.count == 0 ? nil : newValue
      if token != nil || rareBox != nil { updateRare { $0.refreshToken = token } }
    }
  }

  /// When the secret was last changed, from which a policy's lifetime counts; a store sets it, after ``created``.
  public package(set) var secretChanged: Timestamp {
    get { rareBox?.attributes.secretChanged ?? created }
    set {
      let changed = newValue == created ? nil : newValue
      if changed != nil || rareBox != nil { updateRare { $0.secretChanged = changed } }
    }
  }

  /// Until when a policy lets the item be kept, beside ``expires``, its own time; nil for without end.
  public package(set) var keptUntil: Timestamp? {
    get { rareBox?.attributes.keptUntil }
    set { if newValue != nil || rareBox != nil { updateRare { $0.keptUntil = newValue } } }
  }

  /// Replaces the whole box, for a store that sets several attributes at once.
  mutating func updateRare(_ change: (inout RareAttributes) -> Void) {
    var attributes = rareBox?.attributes ?? .none
    change(&attributes)
    rareBox = attributes.isEmpty ? nil : RareBox(attributes)
  }
}
