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
    let isItem = try items.next { [json] (name) throws(VaultError) in
      switch name {
      case "encrypted":
        guard try !json.isTrue() else {
          throw VaultError(
            .invalidData,
            "the export is encrypted: export it from Bitwarden as '.json', not '.json (Encrypted)'")
        }
      case "folders", "collections": try folders.add(json, id: "id", name: "name")
      default: try json.skip()
      }
    }
    self.folders = folders
    return isItem ? try readItem() : nil
  }

  private func readItem() throws(VaultError) -> Entry {
    json.beginRecord()
    var fields = EntryFields(.line(json.line), path: .page, options)
    guard try json.kind() == .object else {
      try json.skip()
      return Entry(fields.draft.place, .rejected("not an object"))
    }
    try json.members { (name) throws(VaultError) in
      switch name {
      case "type": fields.draft.kind = Self.kind(of: try json.numberIfAny())
      case "name": fields.draft.title = try json.textIfString() ?? ""
      case "notes": fields.addComment(try json.secretIfString())
      case "folderId":
        if let folder = try json.textIfString().flatMap({ folders[$0] }) {
          fields.draft.addCustom("folder", folder)
        }
      case "collectionIds":
        try json.elements { () throws(VaultError) in
          guard let folder = try json.textIfString().flatMap({ folders[$0] }) else { return }
          fields.draft.addCustom("folder", folder)
        }
      case "deletedDate": if try !json.skipNull() { fields.exclude(.trashed) }
      case "archivedDate": if try !json.skipNull() { fields.exclude(.archived) }
      case "creationDate": fields.setCreated(try json.textIfString())
      case "revisionDate": fields.setModified(try json.textIfString())
      case "passwordHistory":
        try json.elements { () throws(VaultError) in try readPrevious(into: &fields) }
      case "attachments":
        try json.elements { () throws(VaultError) in
          var file = ""
          try json.members { (name) throws(VaultError) in
            if name == "fileName" { file = try json.textIfString() ?? "" } else { try json.skip() }
          }
          fields.draft.remark(.attachment, file)
        }
      case "fields":
        try json.elements { () throws(VaultError) in try readField(into: &fields) }
      case "login":
        try json.members { (name) throws(VaultError) in try readLogin(name, into: &fields) }
      // They mean nothing elsewhere.
      case "id", "object", "organizationId": try json.skip()
      default: try fields.addSecrets(name, json)
      }
    }
    json.endRecord()
    return fields.entry()
  }

  private func readLogin(_ name: String, into fields: inout EntryFields) throws(VaultError) {
    switch name {
    case "username": fields.draft.account = try json.textIfString() ?? ""
    case "password": fields.draft.secret = try json.secretIfString()
    case "totp":
      if let key = try json.secretIfString() {
        fields.draft.addSecret(EntryDraft.oneTimePassword, key)
      }
    case "fido2Credentials": try fields.addSecrets("passkey", json)
    case "uris":
      try json.elements { () throws(VaultError) in
        var (address, match): (Secret?, Int64?)
        try json.members { (name) throws(VaultError) in
          switch name {
          case "uri": address = try json.secretIfString()
          case "match": match = try json.numberIfAny()
          default: try json.skip()
          }
        }
        guard let address else { return }
        if match == Self.regularExpression {
          fields.addPattern(address)
        } else {
          fields.addAddress(address)
        }
      }
    case "passwordRevisionDate", "uri": try json.skip()
    default: try fields.addSecrets(name, json)
    }
  }

  private func readPrevious(into fields: inout EntryFields) throws(VaultError) {
    var (secret, replaced): (Secret?, Timestamp?)
    try json.members { (name) throws(VaultError) in
      switch name {
      case "password": secret = try json.secretIfString()
      case "lastUsedDate": replaced = try json.textIfString().flatMap(EntryDraft.time)
      default: try json.skip()
      }
    }
    fields.addPrevious(secret, replaced: replaced)
  }

  private func readField(into fields: inout EntryFields) throws(VaultError) {
    var (name, value, type): (String, Secret?, Int64?) = ("", nil, nil)
    try json.members { (member) throws(VaultError) in
      switch member {
      case "name": name = try json.textIfString() ?? ""
      case "value": value = try json.secretIfString()
      case "type": type = try json.numberIfAny()
      default: try json.skip()
      }
    }
    guard let value else { return }
    fields.addCustom(
      name.isEmpty ? "field" : name, value, isSecret: type == Self.hiddenField)
  }

  private static let hiddenField: Int64 = 1
  private static let regularExpression: Int64 = 4

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
