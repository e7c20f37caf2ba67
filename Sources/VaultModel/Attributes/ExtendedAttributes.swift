public import SecureMemory

/// The attributes that few items have; only those that are set need memory.
package struct ExtendedAttributes: Sendable {
  package typealias Element = (attribute: Attribute, value: AttributeValue)

  /// By ascending tag; nil and never empty, so that most items allocate nothing and copies share
  /// their storage.
  private var elements: [Element]?

  /// Creates an empty set.
  package init() {}

  package var isEmpty: Bool { elements == nil }

  /// Whether there are custom attributes.
  var hasCustom: Bool { index(of: .custom) != nil }

  /// The attributes that are set, in the order of a sealed record's fields.
  package var set: [Element] { elements ?? [] }

  /// An attribute's value; nil unsets it.
  package subscript(_ attribute: Attribute) -> AttributeValue? {
    get { index(of: attribute).flatMap { elements?[$0].value } }
    set {
      guard let newValue, !newValue.isUnset else {
        remove(attribute)
        return
      }
      insert(attribute, newValue)
    }
  }

  subscript<Value: AttributeType>(_ attribute: Attribute) -> Value {
    get { self[attribute].flatMap { (value: AttributeValue) in Value(value) } ?? .unset }
    set { self[attribute] = newValue.isUnset ? nil : newValue.attributeValue }
  }

  subscript(time attribute: Attribute) -> Timestamp? {
    get { if case .time(let time) = self[attribute] { time } else { nil } }
    set { self[attribute] = newValue.map { .time($0) } }
  }

  /// Returns the place of an attribute, and copies no value for that: each item is asked for many.
  private func index(of attribute: Attribute) -> Int? {
    guard let elements else { return nil }
    return elements.indices.first { elements[$0].attribute == attribute }
  }

  private mutating func remove(_ attribute: Attribute) {
    guard let index = index(of: attribute) else { return }
    elements?.remove(at: index)
    if elements?.isEmpty == true { elements = nil }
  }

  private mutating func insert(_ attribute: Attribute, _ value: AttributeValue) {
    let element = (attribute, value)
    guard let last = elements?.last else {
      elements = [element]
      return
    }
    // Records are read in this order.
    guard last.attribute.rawValue >= attribute.rawValue else {
      elements?.append(element)
      return
    }
    let index = elements?.firstIndex { $0.attribute.rawValue >= attribute.rawValue } ?? 0
    if elements?[index].attribute == attribute {
      elements?[index].value = value
    } else {
      elements?.insert(element, at: index)
    }
  }

  /// Returns whether everything that a change can set is the same.
  func hasSameContent(as other: ExtendedAttributes) -> Bool {
    let (mine, theirs) = (changeable, other.changeable)
    return mine.count == theirs.count
      && zip(mine, theirs).allSatisfy { left, right in
        left.attribute == right.attribute && left.value.isSame(as: right.value)
      }
  }

  private var changeable: [Element] {
    elements?.filter { !$0.attribute.isReadOnly } ?? []
  }
}

extension Item {
  /// A comment, at most 64 KiB.
  public var comment: String {
    get { extended[.comment] }
    set { extended[.comment] = newValue }
  }

  /// A name for the kind of item, Apple's description attribute.
  public var kind: String {
    get { extended[.kind] }
    set { extended[.kind] = newValue }
  }

  /// The origin of the item, such as `app`, `git` or `docker`.
  public var origin: String {
    get { extended[.origin] }
    set { extended[.origin] = newValue }
  }

  /// The account domain of NTLM.
  public var accountDomain: String {
    get { extended[.accountDomain] }
    set { extended[.accountDomain] = newValue }
  }

  /// The creator's four-character code; 0 for unset.
  public var creator: UInt32 {
    get { extended[.creator] }
    set { extended[.creator] = newValue }
  }

  /// The type's four-character code; 0 for unset.
  public var type: UInt32 {
    get { extended[.type] }
    set { extended[.type] = newValue }
  }

  /// Data for the program that made a generic password, Apple's generic attribute; at most 4096
  /// bytes, and not secret.
  public var generic: [UInt8] {
    get { extended[.generic] }
    set { extended[.generic] = newValue }
  }

  /// The certificates of an identity or of a decision about a server: DER, one after the other, the
  /// leaf first; at most 64 KiB.
  package var certificates: [UInt8] {
    get { extended[.certificates] }
    set { extended[.certificates] = newValue }
  }

  /// The user's own attributes, at most 64.
  ///
  /// Those whose names begin with `key:` are parts of the item's key: two items of a vault may
  /// differ in them alone.
  /// Their names are compared as Swift strings, unlike all other text.
  public var custom: [String: String] {
    get { extended[.custom] }
    set { extended[.custom] = newValue }
  }

  /// The OAuth refresh token that belongs to the secret; nil if it is empty, or was read without
  /// secrets.
  public var refreshToken: Secret? {
    get { self[secret: .refreshToken] }
    set { self[secret: .refreshToken] = newValue }
  }

  /// Whether there is a refresh token, also if it was not read.
  public var hasRefreshToken: Bool { extended[.refreshToken] != nil }

  /// The key of the item's one-time passwords: an `otpauth:` address, or the bare key in base 32;
  /// nil if there is none, or it was read without secrets.
  public var oneTimePasswordKey: Secret? {
    get { self[secret: .oneTimePasswordKey] }
    set { self[secret: .oneTimePasswordKey] = newValue }
  }

  /// Whether there is a key of one-time passwords, also if it was not read.
  public var hasOneTimePasswordKey: Bool { extended[.oneTimePasswordKey] != nil }

  /// The time at which the item expires; nil for never.
  public var expires: Timestamp? {
    get { extended[time: .expires] }
    set { extended[time: .expires] = newValue }
  }

  /// The date of the last change of the secret, from which a policy's lifetime counts; a store
  /// sets it.
  public var secretChanged: Timestamp {
    get { extended[time: .secretChanged] ?? created }
    set { extended[time: .secretChanged] = newValue == created ? nil : newValue }
  }

  /// The end of the retention that a policy allows, beside the item's own ``expires``; nil for
  /// none.
  public package(set) var keptUntil: Timestamp? {
    get { extended[time: .keptUntil] }
    set { extended[time: .keptUntil] = newValue }
  }
}
