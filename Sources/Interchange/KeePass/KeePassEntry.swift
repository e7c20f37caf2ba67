import SecureMemory
import VaultModel

/// An entry of KeePass while it is read.
struct KeePassEntry {
  var fields: EntryFields
  /// Its older versions, the oldest first.
  var versions: [KeePassVersion] = []
  private(set) var strings: [(key: String, value: Secret, isProtected: Bool)] = []
  private(set) var hasReference = false
  private var expiry: (time: Timestamp?, applies: Bool) = (nil, false)

  init(_ place: Place, _ folder: String, _ options: ReadingOptions) {
    fields = EntryFields(place, path: .page, options)
    fields.draft.addCustom("folder", folder)
  }

  mutating func add(_ key: String, _ value: Secret, _ isProtected: Bool) {
    guard value.count > 0 else { return }
    strings.append((key, value, isProtected))
    if KeePassReferences.isReference(value) { hasReference = true }
  }

  mutating func setTime(_ element: String, _ text: String) {
    switch element {
    case "CreationTime": fields.draft.created = Self.time(text)
    case "LastModificationTime": fields.draft.modified = Self.time(text)
    case "ExpiryTime": expiry.time = Self.time(text)
    case "Expires": expiry.applies = text == "True"
    default: break
    }
  }

  /// Returns the entry.
  ///
  /// - Parameter resolve: Returns a value with what it refers to; nil if that is not known, and
  ///   then the field is named as left out.
  /// - Returns: The entry, or why it is none.
  func read(resolving resolve: (Secret) -> Secret? = { $0 }) -> Entry {
    var fields = fields
    var oneTimePassword = KeePassOneTimePassword(strings)
    for (key, value, isProtected) in strings {
      guard let value = resolve(value) else {
        fields.draft.remark(.otherField, "\(key), which refers to another entry")
        continue
      }
      if oneTimePassword.take(key, value) { continue }
      switch key {
      case "Title": fields.setTitle(value)
      case "UserName": fields.setAccount(value)
      case "Password": fields.draft.secret = value
      case "URL": fields.addAddress(value)
      case "Notes": fields.addComment(value)
      // Further addresses, as plug-ins and KeePassXC name them.
      case _ where key.hasPrefix("KP2A_URL"): fields.addAddress(value)
      default: fields.addCustom(key, value, isSecret: isProtected)
      }
    }
    if let key = oneTimePassword.key { fields.draft.addSecret(EntryDraft.oneTimePassword, key) }
    addPrevious(to: &fields)
    if expiry.applies, let time = expiry.time {
      // KeePass only reminds of it, and here an item that has expired is not found any more.
      if time > Timestamp.now() {
        fields.draft.expires = time
      } else {
        fields.draft.addCustom("expired", time.rfc3339)
      }
    }
    return fields.entry()
  }

  /// Adds the passwords of older versions; one was replaced when the next version was made.
  private func addPrevious(to fields: inout EntryFields) {
    for (index, version) in versions.enumerated() {
      let isLast = index + 1 == versions.count
      let next = isLast ? fields.draft.secret : versions[index + 1].password
      let replaced = isLast ? fields.draft.modified : versions[index + 1].modified
      guard let password = version.password, next?.isEqual(to: password) != true,
        !KeePassReferences.isReference(password)
      else { continue }
      fields.addPrevious(password, replaced: replaced)
    }
  }

  /// Reads a time: a date, or since KDBX 4 the seconds since the year 1 as eight bytes in base 64.
  static func time(_ text: String) -> Timestamp? {
    do throws(VaultError) {
      // KeePassX writes no time zone.
      if text.utf8.count == 19 { return EntryDraft.time(text) }
      if text.contains("-") { return try Timestamp(rfc3339: text) }
      let bytes = try Base64.decode(Secret(text))
      guard bytes.count == 8 else { return nil }
      let seconds = bytes.withRawBytes { bytes in
        (0..<8).reduce(0 as UInt64) { $0 | UInt64(Bytes.at(bytes, $1)) << UInt64(8 * $1) }
      }
      let (sinceEpoch, overflow) = Int64(bitPattern: seconds).subtractingReportingOverflow(
        62_135_596_800)
      return overflow ? nil : Timestamp(seconds: sinceEpoch)
    } catch {
      return nil
    }
  }
}

/// An older version of an entry: of it only the password is kept.
struct KeePassVersion {
  var password: Secret?
  var modified: Timestamp?
}
