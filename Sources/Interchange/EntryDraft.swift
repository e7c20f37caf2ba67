package import SecureMemory
package import VaultModel

/// An entry while its fields are read, in the terms that password managers share.
///
/// It decides for all formats what becomes of a name, an address, a note: see ``entry()``.
package struct EntryDraft {
  package let place: Place
  /// The name for people, which becomes the label, or the service if there is no host.
  package var title = ""
  package var account = ""
  /// Names of which the first is the account if there is no other; the rest are attributes.
  var otherAccounts: [(name: String, account: String)] = []
  package var realm = ""
  package var accountDomain = ""
  package var authenticationMethod = AuthenticationMethod.default
  package var origin = ""
  package var secret: Secret?
  package var secretKind = SecretKind.password
  package var refreshToken: Secret?
  var oneTimePasswordKey: Secret?
  package var created: Timestamp?
  /// The time of the last change of the entry, or of the password if the format has it.
  package var modified: Timestamp?
  /// The time of the last change of the password, if the format has it beside ``modified``.
  var secretChanged: Timestamp?
  package var expires: Timestamp?
  /// The reason to leave the entry out, if there is one.
  package var exclusion: Exclusion?
  /// The word for an entry that is no login, such as "secure note"; else empty.
  package var kind = ""
  /// The secrets that the entry had before.
  package var previous: [PreviousSecret] = []
  package internal(set) var custom: [String: String] = [:]
  /// The lines of the comment, which is the secret of a note.
  var comment: [Secret] = []
  /// The secrets beside the password.
  var further: [(name: String, value: Secret)] = []
  let path: Address.PathMeaning
  let assumedProtocol: NetworkProtocol
  var addresses: [Address] = []
  var remarks: [Remark: [String]] = [:]

  /// Creates an entry without fields.
  ///
  /// - Parameters:
  ///   - place: Its place in the file.
  ///   - path: The meaning of the paths of its addresses.
  ///   - options: The protocol of addresses that have none.
  package init(_ place: Place, path: Address.PathMeaning, _ options: ReadingOptions) {
    self.place = place
    self.path = path
    assumedProtocol = options.assumedProtocol
  }

  /// Remarks on a part of the entry, by its name if it has one.
  package mutating func remark(_ remark: Remark, _ name: String = "") {
    remarks[remark, default: []] += name.isEmpty ? [] : [name]
  }

  /// Adds lines to the comment, but for those with the key of one-time passwords.
  package mutating func addComment(_ bytes: RawSpan) {
    guard Bytes.contains(bytes, "otpauth://") else {
      if !bytes.isEmpty { comment.append(Secret(copying: bytes)) }
      return
    }
    var rest = bytes
    while !rest.isEmpty {
      let end = Bytes.firstIndex(of: UInt8(ascii: "\n"), in: rest)
      let line = rest.extracting(0..<(end ?? rest.byteCount))
      if Bytes.contains(line, "otpauth://") {
        addSecret(Self.oneTimePassword, line)
      } else {
        comment.append(Secret(copying: line))
      }
      rest = rest.extracting((end.map { $0 + 1 } ?? rest.byteCount)..<rest.byteCount)
    }
  }

  /// Adds a secret beside the password, or the key of one-time passwords; an empty one is none.
  package mutating func addSecret(_ name: String, _ value: Secret) {
    guard value.count > 0, !takeOneTimePasswordKey(name, value) else { return }
    further.append((name, value))
    remark(.furtherSecrets, name)
  }

  package mutating func addSecret(_ name: String, _ bytes: RawSpan) {
    addSecret(name, Secret(copying: bytes))
  }

  /// Adds a custom attribute, or a line of the comment if it is too long for one; if its name or
  /// its text says that it is a secret, it is a further secret, and never becomes text.
  package mutating func addCustom(_ name: String, _ bytes: RawSpan) throws(VaultError) {
    if !bytes.isEmpty { try addCustom(name, bytes, isSecret: Self.isSecret(name)) }
  }

  /// Adds a custom attribute, or a secret if its name says that it is one, or it holds a key.
  mutating func addCustom(
    _ name: String, _ bytes: RawSpan, isSecret: Bool
  ) throws(VaultError) {
    if isSecret || Self.holdsKey(bytes) {
      addSecret(name.isEmpty ? Self.oneTimePassword : name, bytes)
    } else {
      try addAttribute(name, bytes)
    }
  }

  /// Adds a custom attribute that is not secret, as above; the same one twice is one.
  mutating func addAttribute(_ name: String, _ bytes: RawSpan) throws(VaultError) {
    guard !name.isEmpty, max(name.utf8.count, bytes.byteCount) <= Attribute.custom.longest,
      custom.count < Item.mostCustomAttributes
    else {
      var line = SecretBuffer(capacity: name.utf8.count + bytes.byteCount + 2)
      // A view of bytes: every bit pattern of UTF-8 is valid as raw bytes.
      if !name.isEmpty { unsafe line.append("\(name): ".utf8.span.bytes) }
      line.append(bytes)
      return line.withRawBytes { addComment($0) }
    }
    let text = try Bytes.text(bytes, "custom attribute")
    if let name = custom.place(for: text, named: name) { custom[name] = text }
  }

  /// Adds a custom attribute of a text, as above.
  package mutating func addCustom(_ name: String, _ text: String) {
    do throws(VaultError) {
      // A view of bytes: every bit pattern of UTF-8 is valid as raw bytes.
      try unsafe addCustom(name, text.utf8.span.bytes)
    } catch {
      // A text is UTF-8.
    }
  }

  /// Adds the time at which the entry stops to be valid; one that is past is told and does not
  /// count, because nobody would find the item any more.
  mutating func setExpiry(_ time: Timestamp) {
    if time > Timestamp.now() { expires = time } else { addCustom("expired", time.rfc3339) }
  }

  /// Adds a secret that the entry had before; no two of an entry were replaced at the same time.
  package mutating func addPrevious(_ secret: Secret, replaced: Timestamp) {
    var replaced = min(replaced, Timestamp.now())
    while previous.contains(where: { $0.replaced == replaced }) {
      replaced = replaced.adding(milliseconds: -1)
    }
    previous.append(
      PreviousSecret(
        id: .init(item: .unset, replaced: replaced), kind: secretKind, set: replaced, expires: nil,
        keptUntil: nil, secret: secret))
    previous.sort { $0.replaced > $1.replaced }
  }
}

extension [String: String] {
  /// Returns the name under which a text is to be added: this one, or with a number behind it if
  /// that has another text; nil if the text is there already.
  package func place(for text: String, named name: String) -> String? {
    var (place, number) = (name, 1)
    while let known = self[place] {
      if known.hasSameBytes(as: text) { return nil }
      number += 1
      place = "\(name) \(number)"
    }
    return place
  }
}
