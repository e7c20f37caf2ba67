import SecureMemory
import VaultModel

/// Reads KeePass 2's export as XML, which KeePassXC also writes, and that of KeePassX 0.4.
///
/// Entries in the recycle bin are left out, and the passwords of an entry's older versions become
/// its history. What the file says beside its entries, such as the notes of a group, is named. A
/// group's name becomes the folder, without the group that holds all others. Entries
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
  /// Whether an older version of the entry is read, inside its history.
  private var isOfHistory = false
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
    case ("History", "Entry"):
      isOfHistory = true
      entry?.history.begin()
    case ("Entry", "String"), ("Entry", "Binary"), ("CustomData", "Item"): key = ""
    case (_, "Value"):
      // An attachment is only named.
      collects = parent != "Binary"
      guard !attributes.contains(where: { $0.name == "Protected" && $0.value == "True" }) else {
        throw VaultError(.invalidData, "the values are encrypted: export the database as XML")
      }
      isProtected = attributes.contains { $0.name == "ProtectInMemory" && $0.value == "True" }
    case (_, "Key"), ("Group", "UUID"), ("Group", "Name"), ("Meta", "RecycleBinUUID"),
      ("Times", _), ("group", "title"), ("entry", _), ("Group", "Notes"), ("Group", "Tags"),
      ("Group", "DefaultAutoTypeSequence"), ("Meta", "DatabaseDescription"),
      ("Meta", "DefaultUserName"):
      collects = true
    // Whatever else an entry has.
    default: collects = entry != nil
    }
  }

  func text(_ bytes: RawSpan) throws(VaultError) {
    guard collects else { return }
    // A history may be larger than all the rest, and has a limit of its own.
    let isOld = isOfHistory && path.last == "Value" && key != "Password"
    if entry != nil, !isOld { entrySize += bytes.byteCount }
    guard text.count + bytes.byteCount <= InterchangeLimit.secret,
      entrySize <= InterchangeLimit.record
    else {
      let problem = VaultError(.tooLarge, "an entry or a field of it is too long")
      guard entry != nil else { throw problem }
      // The rest of the field is passed over.
      entry?.fields.reject(problem)
      text.removeAll()
      collects = false
      return
    }
    text.append(bytes)
  }

  func end(_ element: String) throws(VaultError) {
    path.removeLast()
    guard element != "br" else { return }
    defer {
      collects = false
      text.removeAll()
    }
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
    case ("Group", "Notes"), ("Group", "Tags"), ("Group", "DefaultAutoTypeSequence"):
      let name = element == "Notes" ? "notes" : element
      try leaveOut("\(name) of the group \(groups.last?.name ?? "")")
    case ("Meta", "DatabaseDescription"), ("Meta", "DefaultUserName"): try leaveOut(element)
    case (_, "Key"):
      key = try collected()
      // Each text of a history is remembered.
      if isOfHistory { entrySize += 32 }
    case ("History", "Entry"): isOfHistory = false
    case ("Group", "Entry"), ("group", "entry"): try endEntry()
    case ("entry", _): try endOld(element)
    case (let parent, _) where entry != nil: try endPart(element, of: parent)
    // Custom data of plug-ins, which is of no entry.
    case ("Item", "Value") where !Self.ownData.contains(key): try leaveOut(key)
    default: break
    }
  }

  /// Reads a part of an entry, or of an older version of it, and keeps what it does not know.
  private func endPart(_ element: String, of parent: String) throws(VaultError) {
    switch (parent, element) {
    case ("String", "Value") where isOfHistory && key == "Password":
      entry?.history.setPassword(text.secret(0..<text.count))
    case ("String", "Value"), ("Item", "Value"): add(key)
    case ("Binary", "Value"):
      if isOfHistory {
        entry?.history.add(attachment: key)
      } else {
        entry?.add(attachment: key)
      }
    case ("Times", "LastModificationTime") where isOfHistory:
      entry?.history.setModified(KeePassEntry.time(try collected()))
    case ("Times", _) where path.dropLast().last == "Entry" && !isOfHistory:
      entry?.setTime(element, try collected())
    // They mean nothing elsewhere.
    case ("Times", _), (_, "UUID"), (_, "IconID"), (_, "CustomIconUUID"), (_, "QualityCheck"),
      (_, "PreviousParentGroup"), ("AutoType", "Enabled"),
      ("AutoType", "DataTransferObfuscation"), ("Item", "LastModificationTime"):
      break
    case ("Entry", "Tags"): add("tags", isPart: true)
    // One that has others in it has been read with them, and is blank.
    default: if !text.withRawBytes({ Bytes.trimmed($0).isEmpty }) { add(element, isPart: true) }
    }
  }

  private func add(_ key: String, isPart: Bool = false) {
    let value = text.secret(0..<text.count)
    if isOfHistory {
      entry?.history.add(key, value)
    } else if isPart {
      entry?.add(part: key, value)
    } else {
      entry?.add(key, value, isProtected)
    }
  }

  /// Notes of KeePassXC about the file itself, which every file has.
  private static let ownData: Set<String> = [
    "_LAST_MODIFIED", "KPXC_DECRYPTION_TIME_PREFERENCE", "KPXC_RANDOM_SLUG",
  ]

  /// Names a part of the file that is no entry, unless it is empty.
  private func leaveOut(_ name: String) throws(VaultError) {
    guard text.count > 0 else { return }
    entries.append(Entry(.line(parser?.line ?? 0), .leftOut(.notAnEntry), title: name))
  }

  /// Reads a field of KeePassX.
  private func endOld(_ element: String) throws(VaultError) {
    switch element {
    case "title": entry?.add("Title", text.secret(0..<text.count), false)
    case "username": entry?.add("UserName", text.secret(0..<text.count), false)
    case "password": entry?.add("Password", text.secret(0..<text.count), false)
    case "url": entry?.add("URL", text.secret(0..<text.count), false)
    case "comment": entry?.add("Notes", text.secret(0..<text.count), false)
    case "bindesc" where text.count > 0: entry?.add(attachment: try collected())
    case "creation": entry?.setTime("CreationTime", try collected())
    case "lastmod": entry?.setTime("LastModificationTime", try collected())
    case "expire":
      entry?.setTime("ExpiryTime", try collected())
      entry?.setTime("Expires", "True")
    // Its icon and what an attachment holds, and when somebody looked at it.
    case "icon", "bin", "lastaccess", "uuid", "bindesc": break
    default: if text.count > 0 { entry?.add(part: element, text.secret(0..<text.count)) }
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
