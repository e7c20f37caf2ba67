import SecureMemory
import VaultModel

/// Reads KeePass 2's export as XML, which KeePassXC also writes, and that of KeePassX 0.4.
///
/// Entries in the recycle bin are left out, and the passwords of an entry's older versions become
/// its history. A group's name becomes the folder, without the group that holds all others. Entries
/// that refer to others come last, because what they refer to may be anywhere in the file.
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
  private var entry: KeePassEntry?
  /// The older version of the entry that is read, inside its history.
  private var version: KeePassVersion?
  private var entrySize = 0
  private var references: KeePassReferences?

  /// The text of the innermost element, if it is one that is read.
  private var text = SecretBuffer()
  private var collects = false
  private var key = ""
  private var isProtected = false

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
      if hasEnded, let references { entries += try references.resolved(options) }
      // The next is the last of the array.
      entries.reverse()
    }
    return entries.popLast()
  }

  // MARK: Events

  func begin(
    _ element: String, attributes: [(name: String, value: String)]
  ) throws(VaultError) {
    guard !path.isEmpty || ["KeePassFile", "database"].contains(element) else {
      throw VaultError(.invalidData, "this is no export of KeePass: there is no KeePassFile")
    }
    let parent = path.last ?? ""
    path.append(element)
    // A line end in a comment of KeePassX.
    guard element != "br" else { return text.append(UInt8(ascii: "\n")) }
    text.removeAll()
    collects = false
    switch (parent, element) {
    case ("Root", "Group"), ("Group", "Group"):
      groups.append(("", groups.last?.isTrash ?? false))
    case ("database", "group"), ("group", "group"): groups.append(("", false))
    case ("Group", "Entry"), ("group", "entry"):
      // KeePass has one group that holds all others.
      let named = element == "Entry" ? groups.dropFirst() : groups[...]
      let folder = named.map(\.name).joined(separator: "/")
      entry = KeePassEntry(.line(parser?.line ?? 0), folder, options)
      if groups.last?.isTrash == true { entry?.fields.exclude(.trashed) }
      entrySize = 0
    case ("History", "Entry"): version = KeePassVersion()
    case ("Entry", "String"), ("Entry", "Binary"), ("CustomData", "Item"): key = ""
    case (_, "Value"):
      // A history may be larger than all the rest, and of it only the passwords are kept.
      collects = version == nil || key == "Password"
      guard !attributes.contains(where: { $0.name == "Protected" && $0.value == "True" }) else {
        throw VaultError(.invalidData, "the values are encrypted: export the database as XML")
      }
      isProtected = attributes.contains { $0.name == "ProtectInMemory" && $0.value == "True" }
    case (_, "Key"), ("Group", "UUID"), ("Group", "Name"), ("Meta", "RecycleBinUUID"),
      ("Entry", "Tags"), ("Entry", "OverrideURL"), ("AutoType", "DefaultSequence"),
      ("Association", _), ("Times", _), ("group", "title"), ("entry", _):
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
    guard element != "br" else { return }
    defer { collects = false }
    switch (path.last ?? "", element) {
    case ("Meta", "RecycleBinUUID"): trash = try collected()
    case ("Group", "UUID"):
      // No recycle bin is a UUID of zeros, which no group has.
      if try collected() == trash, !groups.isEmpty { groups[groups.count - 1].isTrash = true }
    case ("Group", "Name"), ("group", "title"):
      let name = try collected()
      if !groups.isEmpty { groups[groups.count - 1].name = name }
    case ("Group", "Group"), ("Root", "Group"), ("group", "group"), ("database", "group"):
      _ = groups.popLast()
    case (_, "Key"): key = try collected()
    case ("String", "Value") where version != nil:
      if key == "Password" { version?.password = text.secret(0..<text.count) }
    case ("Times", _) where version != nil:
      if element == "LastModificationTime" {
        version?.modified = KeePassEntry.time(try collected())
      }
    case ("History", "Entry"):
      if let version { entry?.versions.append(version) }
      version = nil
    case _ where version != nil: break
    case ("String", "Value"): entry?.add(key, text.secret(0..<text.count), isProtected)
    case ("Entry", "Binary"): entry?.fields.draft.remark(.attachment, key)
    case ("Item", "Value") where path.contains("Entry"):
      entry?.add(key, text.secret(0..<text.count), false)
    case ("Entry", "Tags"): entry?.fields.draft.addCustom("tags", try collected())
    case ("Entry", "OverrideURL"), ("AutoType", "DefaultSequence"), ("Association", _):
      entry?.fields.draft.addCustom(element, try collected())
    case ("Times", _) where path.dropLast().last == "Entry":
      entry?.setTime(element, try collected())
    case ("entry", _): try endOld(element)
    case ("Group", "Entry"), ("group", "entry"): try endEntry()
    default: break
    }
  }

  /// Reads a field of KeePassX.
  private func endOld(_ element: String) throws(VaultError) {
    switch element {
    case "title": entry?.add("Title", text.secret(0..<text.count), false)
    case "username": entry?.add("UserName", text.secret(0..<text.count), false)
    case "password": entry?.add("Password", text.secret(0..<text.count), false)
    case "url": entry?.add("URL", text.secret(0..<text.count), false)
    case "comment": entry?.add("Notes", text.secret(0..<text.count), false)
    case "bindesc" where text.count > 0: entry?.fields.draft.remark(.attachment, try collected())
    case "creation": entry?.setTime("CreationTime", try collected())
    case "lastmod": entry?.setTime("LastModificationTime", try collected())
    case "expire":
      entry?.setTime("ExpiryTime", try collected())
      entry?.setTime("Expires", "True")
    default: break
    }
  }

  private func endEntry() throws(VaultError) {
    guard let entry else { return }
    if entry.hasReference {
      references = references ?? KeePassReferences()
      try references?.add(entry)
    } else {
      entries.append(entry.read())
    }
    self.entry = nil
  }

  private func collected() throws(VaultError) -> String {
    guard let text = text.text(0..<text.count) else {
      throw VaultError(.invalidData, "not UTF-8")
    }
    return text
  }
}
