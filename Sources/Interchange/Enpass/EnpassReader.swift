import SecureMemory
import VaultModel

/// Reads Enpass's export as JSON.
///
/// Names of folders are known from the folders that come before the items, as Enpass writes them.
struct EnpassReader: EntryReader {
  private let options: ReadingOptions
  private var items: JSONItems
  private var folders = FolderNames()

  private var json: JSONReader { items.json }

  init(_ source: ByteSource, _ options: ReadingOptions) {
    items = JSONItems(source, of: "Enpass")
    self.options = options
  }

  mutating func next() throws(VaultError) -> Entry? {
    var folders = folders
    let isItem = try items.next { [json] (name) throws(VaultError) in
      switch name {
      case "folders": try folders.add(json, id: "uuid", name: "title", parent: "parent_uuid")
      default: try json.skip()
      }
    }
    self.folders = folders
    return isItem ? try readItem() : nil
  }

  private func readItem() throws(VaultError) -> Entry {
    json.beginRecord()
    var fields = EntryFields(.line(json.line), path: .page, options)
    try json.members { (name) throws(VaultError) in
      switch name {
      case "title": fields.draft.title = try json.textIfString() ?? ""
      case "note": fields.addComment(try json.secretIfString())
      case "category":
        let category = try json.textIfString() ?? ""
        // A password is Enpass's word for the login of something without a page.
        fields.draft.kind = ["login", "password"].contains(category) ? "" : category
      case "folders":
        try json.elements { () throws(VaultError) in
          guard let folder = folders[try json.textIfString() ?? ""] else { return }
          fields.draft.addCustom("folder", folder)
        }
      case "fields": try json.elements { () throws(VaultError) in try readField(into: &fields) }
      case "attachments":
        try json.elements { () throws(VaultError) in
          var file = ""
          try json.members { (name) throws(VaultError) in
            if name == "name" { file = try json.textIfString() ?? "" } else { try json.skip() }
          }
          fields.draft.remark(.attachment, file)
        }
      case "createdAt": fields.draft.created = try time()
      case "updated_at": fields.draft.modified = try time()
      case "trashed": if try isSet() { fields.exclude(.trashed) }
      case "archived": if try isSet() { fields.exclude(.archived) }
      // They mean nothing elsewhere, or say again what others do.
      case "uuid", "icon", "subtitle", "template_type", "auto_submit": try json.skip()
      default: try fields.addSecrets(name, json)
      }
    }
    json.endRecord()
    return fields.entry()
  }

  private func readField(into fields: inout EntryFields) throws(VaultError) {
    var (label, type) = ("", "")
    var (isSensitive, isDeleted) = (false, false)
    var (value, previous): (Secret?, [(secret: Secret?, time: Timestamp?)]) = (nil, [])
    var changed: Timestamp?
    try json.members { (name) throws(VaultError) in
      switch name {
      case "label": label = try json.textIfString() ?? ""
      case "type": type = try json.textIfString() ?? ""
      case "sensitive": isSensitive = try isSet()
      case "deleted": isDeleted = try isSet()
      case "value": value = try json.secretIfString()
      case "value_updated_at": changed = try time()
      case "history":
        try json.elements { () throws(VaultError) in previous.append(try readPrevious()) }
      default: try json.skip()
      }
    }
    guard !isDeleted, let value, value.count > 0 else { return }
    let name = label.isEmpty ? type : label
    switch type {
    case "section": break
    case "username" where fields.draft.account.isEmpty: fields.setAccount(value)
    case "password" where fields.draft.secret == nil:
      fields.draft.secret = value
      for (secret, time) in previous { fields.addPrevious(secret, replaced: time ?? changed) }
    case "url": fields.addAddress(value)
    case "totp": fields.draft.addSecret(EntryDraft.oneTimePassword, value)
    case "username", "email": fields.addOtherAccount(name, value)
    default:
      let isSecret =
        isSensitive || ["password", "pin", "ccNumber", "ccCvc", "ccPin"].contains(type)
      fields.addCustom(name, value, isSecret: isSecret)
    }
    if type != "password" {
      for (secret, _) in previous where secret?.count ?? 0 > 0 {
        fields.draft.remark(.otherField, "earlier \(name)")
      }
    }
  }

  private func readPrevious() throws(VaultError) -> (secret: Secret?, time: Timestamp?) {
    var (secret, time): (Secret?, Timestamp?) = (nil, nil)
    try json.members { (name) throws(VaultError) in
      switch name {
      case "value": secret = try json.secretIfString()
      case "updated_at": time = try self.time()
      default: try json.skip()
      }
    }
    return (secret, time)
  }

  private func time() throws(VaultError) -> Timestamp? {
    guard let seconds = try json.numberIfAny(), seconds > 0 else { return nil }
    return Timestamp(seconds: seconds)
  }

  /// Reads a flag, which Enpass writes as a number.
  private func isSet() throws(VaultError) -> Bool {
    try json.kind() == .number ? try json.wholeNumber() ?? 0 != 0 : try json.isTrue()
  }
}
