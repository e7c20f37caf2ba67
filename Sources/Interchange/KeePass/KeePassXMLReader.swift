import SecureMemory
import VaultModel

/// Reads KeePass 2's export as XML, which KeePassXC also writes.
///
/// Entries in the recycle bin and older versions of entries are left out. A group's name becomes
/// the folder, without the group that holds all others.
final class KeePassXMLReader: EntryReader, XMLEvents.Delegate {
  private let source: ByteSource
  private let options: ReadingOptions
  private var parser: XMLEvents?
  private var input = SecretBuffer(capacity: 1 << 14)
  private var hasEnded = false
  /// The entries that were read and not yet returned: at most those of one piece of input.
  private var entries: [Entry] = []

  private var path: [String] = []
  private var groups: [(name: String, isTrash: Bool)] = []
  private var trash: String?
  private var historyDepth = 0
  private var fields: EntryFields?
  private var entrySize = 0

  /// The text of the innermost element, if it is one that is read.
  private var text = SecretBuffer()
  private var collects = false
  private var key = ""
  private var value: (secret: Secret, isProtected: Bool)?
  private var isProtected = false
  private var expiry: (time: Timestamp?, applies: Bool) = (nil, false)

  init(_ source: ByteSource, _ options: ReadingOptions) throws(VaultError) {
    self.source = source
    self.options = options
    parser = try XMLEvents("KeePass's XML", delegate: self)
  }

  func next() throws(VaultError) -> Entry? {
    while entries.isEmpty, !hasEnded {
      input.removeAll()
      try source.takeSome(into: &input)
      hasEnded = input.count == 0
      try input.withRawBytes { (bytes) throws(VaultError) in
        try parser?.parse(bytes, isLast: hasEnded)
      }
      // The next is the last of the array.
      entries.reverse()
    }
    return entries.popLast()
  }

  // MARK: Events

  func begin(
    _ element: String, attributes: [(name: String, value: String)]
  ) throws(VaultError) {
    guard !path.isEmpty || element == "KeePassFile" else {
      throw VaultError(.invalidData, "this is no export of KeePass: there is no KeePassFile")
    }
    let parent = path.last ?? ""
    path.append(element)
    text.removeAll()
    collects = false
    if historyDepth > 0 {
      if element == "History" { historyDepth += 1 }
      return
    }
    switch (parent, element) {
    case ("Root", "Group"), ("Group", "Group"):
      groups.append(("", groups.last?.isTrash ?? false))
    case ("Group", "Entry"): beginEntry()
    case ("Entry", "History"): historyDepth = 1
    case ("History", _): break
    case ("Entry", "String"): (key, value) = ("", nil)
    case ("Entry", "Binary"): fields?.draft.remark(.attachment)
    case ("String", "Value"):
      collects = true
      guard !attributes.contains(where: { $0.name == "Protected" && $0.value == "True" }) else {
        throw VaultError(.invalidData, "the values are encrypted: export the database as XML")
      }
      isProtected = attributes.contains { $0.name == "ProtectInMemory" && $0.value == "True" }
    case ("String", "Key"), ("Group", "UUID"), ("Group", "Name"), ("Meta", "RecycleBinUUID"),
      ("Entry", "Tags"), ("Times", "CreationTime"), ("Times", "LastModificationTime"),
      ("Times", "ExpiryTime"), ("Times", "Expires"):
      collects = true
    default: break
    }
  }

  func text(_ bytes: RawSpan) throws(VaultError) {
    guard collects else { return }
    entrySize += bytes.byteCount
    guard text.count + bytes.byteCount <= InterchangeLimit.secret,
      entrySize <= InterchangeLimit.record
    else { throw VaultError(.tooLarge, "an entry or a field of it is too long") }
    text.append(bytes)
  }

  func end(_ element: String) throws(VaultError) {
    path.removeLast()
    defer { collects = false }
    if historyDepth > 0 {
      if element == "History" { historyDepth -= 1 }
      if element == "Entry" { fields?.draft.remark(.previousPasswords) }
      return
    }
    switch (path.last ?? "", element) {
    case ("Meta", "RecycleBinUUID"): trash = try collected()
    case ("Group", "UUID"):
      // No recycle bin is a UUID of zeros, which no group has.
      if try collected() == trash, !groups.isEmpty { groups[groups.count - 1].isTrash = true }
    case ("Group", "Name"):
      let name = try collected()
      if !groups.isEmpty { groups[groups.count - 1].name = name }
    case ("Group", "Group"), ("Root", "Group"): _ = groups.popLast()
    case ("String", "Key"): key = try collected()
    case ("String", "Value"): value = (text.secret(0..<text.count), isProtected)
    case ("Entry", "String"): addField()
    case ("Entry", "Tags"): fields?.draft.addCustom("tags", try collected())
    case ("Times", _) where path.dropLast().last == "Entry": try addTime(element)
    case ("Group", "Entry"): endEntry()
    default: break
    }
  }

  // MARK: Entries

  private func beginEntry() {
    fields = EntryFields(.line(parser?.line ?? 0), path: .page, options)
    (entrySize, expiry) = (0, (nil, false))
    let folder = groups.dropFirst().map(\.name).joined(separator: "/")
    fields?.draft.addCustom("folder", folder)
    if groups.last?.isTrash == true { fields?.exclude(.trashed) }
  }

  private func endEntry() {
    guard var fields else { return }
    if expiry.applies, let time = expiry.time {
      // KeePass only reminds of it, and here an item that has expired is not found any more.
      if time > Timestamp.now() {
        fields.draft.expires = time
      } else {
        fields.draft.addCustom("expired", time.rfc3339)
      }
    }
    entries.append(fields.entry())
    self.fields = nil
  }

  private func addField() {
    guard let value, value.secret.count > 0 else { return }
    switch key {
    case "Title": fields?.setTitle(value.secret)
    case "UserName": fields?.setAccount(value.secret)
    case "Password": fields?.draft.secret = value.secret
    case "URL": fields?.addAddress(value.secret)
    case "Notes": fields?.addComment(value.secret)
    // Further addresses, as plug-ins and KeePassXC name them.
    case _ where key.hasPrefix("KP2A_URL"): fields?.addAddress(value.secret)
    default: fields?.addCustom(key, value.secret, isSecret: value.isProtected)
    }
  }

  private func addTime(_ element: String) throws(VaultError) {
    let text = try collected()
    switch element {
    case "CreationTime": fields?.draft.created = Self.time(text)
    case "LastModificationTime": fields?.draft.modified = Self.time(text)
    case "ExpiryTime": expiry.time = Self.time(text)
    case "Expires": expiry.applies = text == "True"
    default: break
    }
  }

  private func collected() throws(VaultError) -> String {
    guard let text = text.text(0..<text.count) else {
      throw VaultError(.invalidData, "not UTF-8")
    }
    return text
  }

  /// Reads a time: a date, or since KDBX 4 the seconds since the year 1 as eight bytes in base 64.
  private static func time(_ text: String) -> Timestamp? {
    do throws(VaultError) {
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
