import SecureMemory
import VaultModel

/// An entry of KeePass while it is read.
struct KeePassEntry {
  var fields: EntryFields
  var history = KeePassHistory()
  private(set) var strings: [(key: String, value: Secret, isProtected: Bool)] = []
  private(set) var hasReference = false
  /// Parts beside the strings, which have no protection of their own.
  private var parts: [(name: String, value: Secret)] = []
  private var attachments: [String] = []
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

  /// Adds a part that KeePass has for each entry, such as its tags.
  mutating func add(part name: String, _ value: Secret) {
    if value.count > 0 { parts.append((name, value)) }
  }

  mutating func add(attachment name: String) {
    attachments.append(name)
    fields.draft.remark(.attachment, name)
  }

  mutating func setTime(_ element: String, _ text: String) {
    switch element {
    case "CreationTime": fields.draft.created = time(element, text)
    case "LastModificationTime": fields.draft.modified = time(element, text)
    case "ExpiryTime": expiry.time = time(element, text)
    case "Expires": expiry.applies = text == "True"
    // They change when somebody looks at the entry, or moves it.
    default: break
    }
  }

  /// Returns a time; one that is none is kept as text.
  private mutating func time(_ element: String, _ text: String) -> Timestamp? {
    let time = Self.time(text)
    if time == nil, text != "Never" { fields.draft.addCustom(element, text) }
    return time
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
      case "Title" where fields.draft.title.isEmpty: fields.setTitle(value)
      case "UserName" where fields.draft.account.isEmpty: fields.setAccount(value)
      case "Password" where fields.draft.secret == nil: fields.draft.secret = value
      case "URL": fields.addAddress(value)
      case "Notes" where !isProtected: fields.addComment(value)
      // Further addresses, as plug-ins and KeePassXC name them.
      case _ where key.hasPrefix("KP2A_URL"): fields.addAddress(value)
      default: fields.addCustom(key.isEmpty ? "field" : key, value, isSecret: isProtected)
      }
    }
    if let key = oneTimePassword.key { fields.draft.addSecret(EntryDraft.oneTimePassword, key) }
    for (name, value) in parts {
      fields.addCustom(name, value, isSecret: !Self.clearParts.contains(name))
    }
    addPrevious(to: &fields)
    // KeePass only reminds of it.
    if expiry.applies, let time = expiry.time { fields.draft.setExpiry(time) }
    return fields.entry()
  }

  /// The parts that are known to be no secret.
  private static let clearParts: Set<String> = [
    "tags", "OverrideURL", "DefaultSequence", "Window", "KeystrokeSequence", "ForegroundColor",
    "BackgroundColor",
  ]

  /// Adds the passwords of older versions; one was replaced when the next version was made.
  ///
  /// Whatever else they had, and the entry has not, is a further secret.
  private func addPrevious(to fields: inout EntryFields) {
    let versions = history.versions
    for (index, version) in versions.enumerated() {
      let isLast = index + 1 == versions.count
      let next = isLast ? fields.draft.secret : versions[index + 1].password
      let replaced = isLast ? fields.draft.modified : versions[index + 1].modified
      guard let password = version.password, next?.isEqual(to: password) != true else { continue }
      if KeePassReferences.isReference(password) {
        fields.draft.remark(.otherField, "earlier Password, which refers to another entry")
      } else {
        fields.addPrevious(password, replaced: replaced)
      }
    }
    let present = strings.map { ($0.key, $0.value) } + parts.map { ($0.name, $0.value) }
    for (key, value) in history.texts(besides: present) {
      if let value {
        fields.draft.addSecret("earlier \(key)", value)
      } else {
        fields.draft.remark(.otherField, "earlier \(key)")
      }
    }
    for name in history.attachments.subtracting(attachments).sorted() {
      fields.draft.remark(.attachment, "earlier \(name)")
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
