import SecureMemory
package import VaultModel

extension EntryDraft {
  /// Reads one field.
  ///
  /// - Parameters:
  ///   - bytes: The field, as it is in the file.
  ///   - field: The kind of the field.
  ///   - name: The name of a custom field.
  /// - Throws: ``VaultError/Code/invalidData`` for what is not UTF-8, ``VaultError/Code/tooLarge``
  ///   for a secret above its limit, and errors of addresses.
  package mutating func read(
    _ bytes: RawSpan, as field: EntryField, named name: String
  ) throws(VaultError) {
    switch field {
    case .title where title.isEmpty: title = try Bytes.text(bytes, "title")
    case .url: try addAddress(bytes)
    case .account where account.isEmpty: account = try Bytes.text(bytes, "account")
    case .account: otherAccounts.append((name, try Bytes.text(bytes, "account")))
    case .password where secret == nil: try read(secret: bytes)
    case .realm where realm.isEmpty: realm = try Bytes.text(bytes, "realm")
    case .comment: addComment(bytes)
    case .folder: addCustom("folder", try Bytes.text(bytes, "folder"))
    case .tags: addCustom("tags", try Bytes.text(bytes, "tags"))
    case .created where created == nil: created = try time(bytes, name)
    case .modified where modified == nil: modified = try time(bytes, name)
    case .expires where expires == nil:
      if let time = try time(bytes, name) { setExpiry(time) }
    case .oneTimePassword: addSecret(Self.oneTimePassword, bytes)
    // A second password.
    case .password: addSecret(name, bytes)
    // A second one of what an item has once.
    case .title, .realm, .created, .modified, .expires, .custom: try addCustom(name, bytes)
    case .ignored: break
    }
  }

  /// Takes the password; an empty one is none, unless the entry is of a store of passwords.
  ///
  /// - Throws: ``VaultError/Code/tooLarge`` above ``InterchangeLimit/secret`` bytes.
  package mutating func read(secret bytes: RawSpan) throws(VaultError) {
    guard bytes.byteCount <= InterchangeLimit.secret else {
      throw VaultError(.tooLarge, "password: longer than \(InterchangeLimit.secret >> 20) MiB")
    }
    secret = bytes.isEmpty && path == .page ? nil : Secret(copying: bytes)
  }

  /// Returns the time of a field; one in another form is kept as text, unless it says that there is
  /// none.
  mutating func time(_ bytes: RawSpan, _ name: String) throws(VaultError) -> Timestamp? {
    if let time = Self.time(bytes) { return time }
    if !["0", "Never"].contains(where: { Bytes.equal(bytes, $0) }) { try addCustom(name, bytes) }
    return nil
  }

  /// Returns the time of RFC 3339, of `2026-01-31 23:59:59` with a blank or a T, or of seconds or
  /// milliseconds since 1970; nil for anything else, because a password is worth more than its
  /// date.
  package static func time(_ bytes: RawSpan) -> Timestamp? {
    guard bytes.byteCount <= 40, let text = Bytes.textOrNil(bytes) else { return nil }
    return time(text)
  }

  /// Returns the time of a text, in one of the same forms.
  package static func time(_ text: String) -> Timestamp? {
    var text = Array(text.utf8)
    guard !text.isEmpty else { return nil }
    if text.allSatisfy(\.isDigit) {
      // A shorter number is a year or a day, and a longer one counts something else.
      guard (9...14).contains(text.count),
        let number = Int64(String(decoding: text, as: UTF8.self)), number > 0
      else { return nil }
      // 10¹¹ seconds are in the year 5138, and as many milliseconds were in 1973.
      return number < 100_000_000_000
        ? Timestamp(seconds: number) : Timestamp(milliseconds: number)
    }
    if text.count == 19, " T".utf8.contains(text[10]) {
      text[10] = UInt8(ascii: "T")
      text.append(UInt8(ascii: "Z"))
    }
    do throws(VaultError) {
      return try Timestamp(rfc3339: String(decoding: text, as: UTF8.self))
    } catch {
      return nil
    }
  }
}
