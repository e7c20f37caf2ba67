import SecureMemory
import VaultModel

/// Reads Bitwarden's export as JSON, of a person or of an organization.
///
/// Names of folders are known from the folders that come before the items, as Bitwarden writes
/// them.
struct BitwardenJSONReader: EntryReader {
  private let options: ReadingOptions
  private var items: JSONItems
  private var folders = FolderNames()

  private var json: JSONReader { items.json }

  init(_ source: ByteSource, _ options: ReadingOptions) {
    items = JSONItems(source, of: "Bitwarden")
    self.options = options
  }

  mutating func next() throws(VaultError) -> Entry? {
    var folders = folders
    let next = try items.next { [json] (name) throws(VaultError) in
      switch name {
      case "encrypted":
        guard try !json.isTrue() else {
          throw VaultError(
            .invalidData,
            "the export is encrypted: export it from Bitwarden as '.json', not '.json (Encrypted)'")
        }
      case "folders", "collections": return try folders.add(json, id: "id", name: "name")
      default: return try json.leaveOut(name)
      }
      return nil
    }
    self.folders = folders
    return switch next {
    case .item: try readItem()
    case .other(let entry): entry
    case .end: nil
    }
  }

  private func readItem() throws(VaultError) -> Entry {
    json.beginRecord()
    var fields = EntryFields(.line(json.line), path: .page, options)
    guard try json.kind() == .object else {
      try json.skip()
      json.endRecord()
      return Entry(fields.draft.place, .rejected("not an object"))
    }
    try json.beginObject()
    while let name = try json.nextName() { try readMember(name, into: &fields) }
    fields.endRecord(json)
    return fields.entry()
  }

  private func readMember(_ name: String, into fields: inout EntryFields) throws(VaultError) {
    switch name {
    case "type": fields.draft.kind = Self.kind(of: try fields.number(name, json))
    case "name": fields.draft.title = try fields.text(name, json) ?? ""
    case "notes": fields.addComment(try fields.value(name, json))
    case "folderId": try readFolder(into: &fields)
    case "collectionIds":
      try json.elements(of: name, &fields) { (fields) throws(VaultError) in
        try readFolder(into: &fields)
      }
    case "deletedDate": if try !json.skipNull() { fields.exclude(.trashed) }
    case "archivedDate": if try !json.skipNull() { fields.exclude(.archived) }
    case "creationDate": fields.draft.created = fields.time(name, try fields.text(name, json))
    case "revisionDate": fields.draft.modified = fields.time(name, try fields.text(name, json))
    case "passwordHistory":
      try json.elements(of: name, &fields) { (fields) throws(VaultError) in
        try readPrevious(into: &fields)
      }
    case "attachments":
      try json.elements(of: name, &fields) { (fields) throws(VaultError) in
        try fields.nameAttachment("fileName", json)
      }
    case "fields":
      try json.elements(of: name, &fields) { (fields) throws(VaultError) in
        try readField(into: &fields)
      }
    case "login":
      try json.members(of: name, &fields) { (name, fields) throws(VaultError) in
        try readLogin(name, into: &fields)
      }
    case "favorite", "reprompt": try fields.keepMark(name, json)
    // They mean nothing elsewhere.
    case "id", "object", "organizationId", "secureNote": try json.skip()
    default: try fields.keep(name, json)
    }
  }

  /// Reads the id of a folder, which is kept itself if the file does not name it.
  private func readFolder(into fields: inout EntryFields) throws(VaultError) {
    guard let id = try fields.text("folder", json) else { return }
    fields.draft.addCustom("folder", folders[id] ?? id)
  }

  private func readLogin(_ name: String, into fields: inout EntryFields) throws(VaultError) {
    switch name {
    case "username": fields.draft.account = try fields.text(name, json) ?? ""
    case "password": fields.draft.secret = try fields.value(name, json)
    case "totp":
      if let key = try fields.value(name, json) {
        fields.draft.addSecret(EntryDraft.oneTimePassword, key)
      }
    case "fido2Credentials": try fields.keep("passkey", json)
    case "uris":
      try json.elements(of: name, &fields) { (fields) throws(VaultError) in
        try readAddress(into: &fields)
      }
    // The first of them, before there could be several.
    case "uri": if let address = try fields.secret(name, json) { fields.addAddress(address) }
    case "passwordRevisionDate":
      fields.draft.secretChanged = fields.time(name, try fields.text(name, json))
    case "autofillOnPageLoad": try fields.keepMark(name, json)
    default: try fields.keep(name, json)
    }
  }

  private func readAddress(into fields: inout EntryFields) throws(VaultError) {
    var (address, match): (Secret?, Int64?)
    try json.members(of: "uri", &fields) { (name, fields) throws(VaultError) in
      switch name {
      case "uri": address = try fields.secret(name, json)
      case "match": match = try fields.number(name, json)
      // It follows from the address.
      case "uriChecksum": try json.skip()
      default: try fields.keep("uri \(name)", json)
      }
    }
    if let match { fields.draft.addCustom("match", Self.matches[match] ?? String(match)) }
    guard let address else { return }
    if match == Self.regularExpression {
      fields.addPattern(address)
    } else {
      fields.addAddress(address)
    }
  }

  private func readPrevious(into fields: inout EntryFields) throws(VaultError) {
    var (secret, replaced): (Secret?, Timestamp?)
    try json.members(of: "passwordHistory", &fields) { (name, fields) throws(VaultError) in
      switch name {
      case "password": secret = try fields.value("previous password", json)
      case "lastUsedDate": replaced = fields.time(name, try fields.text(name, json))
      default: try fields.keep("previous password \(name)", json)
      }
    }
    fields.addPrevious(secret, replaced: replaced)
  }

  private func readField(into fields: inout EntryFields) throws(VaultError) {
    var (name, value, type, link): (String, Secret?, Int64?, Int64?) = ("", nil, nil, nil)
    try json.members(of: "field", &fields) { (member, fields) throws(VaultError) in
      switch member {
      case "name": name = try fields.text("field name", json) ?? ""
      case "value": value = try fields.value("field value", json)
      case "type": type = try fields.number("field type", json)
      case "linkedId": link = try fields.number("field linkedId", json)
      default: try fields.keep("field \(member)", json)
      }
    }
    if let link { value = value ?? Secret("linked to \(link)") }
    guard let value else { return }
    fields.addCustom(
      name.isEmpty ? "field" : name, value, isSecret: type == Self.hiddenField)
  }

  private static let hiddenField: Int64 = 1
  private static let regularExpression: Int64 = 4
  private static let matches: [Int64: String] = [
    0: "domain", 1: "host", 2: "starts with", 3: "exact", 4: "regular expression", 5: "never",
  ]

  private static func kind(of type: Int64?) -> String {
    switch type {
    case 1: ""
    case 2: "secure note"
    case 3: "card"
    case 4: "identity"
    case 5: "SSH key"
    default: "another kind of entry"
    }
  }
}
