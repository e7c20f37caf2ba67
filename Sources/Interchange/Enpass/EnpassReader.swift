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
    let next = try items.next { [json] (name) throws(VaultError) in
      guard name == "folders" else { return try json.leaveOut(name) }
      return try folders.add(json, id: "uuid", name: "title", parent: "parent_uuid")
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
    try json.members(of: "item", &fields) { (name, fields) throws(VaultError) in
      switch name {
      case "title": fields.draft.title = try fields.text(name, json) ?? ""
      case "note": fields.addComment(try fields.value(name, json))
      case "category":
        let category = try fields.text(name, json) ?? ""
        // A password is Enpass's word for the login of something without a page.
        fields.draft.kind = ["login", "password"].contains(category) ? "" : category
      case "folders":
        try json.elements(of: name, &fields) { (fields) throws(VaultError) in
          guard let id = try fields.text("folder", json) else { return }
          fields.draft.addCustom("folder", folders[id] ?? id)
        }
      case "fields":
        try json.elements(of: name, &fields) { (fields) throws(VaultError) in
          var field = EnpassField()
          try field.read(json, &fields)
          field.add(to: &fields)
        }
      case "attachments":
        try json.elements(of: name, &fields) { (fields) throws(VaultError) in
          try fields.nameAttachment("name", json)
        }
      case "createdAt": fields.draft.created = try fields.time(name, json)
      case "updated_at": fields.draft.modified = try fields.time(name, json)
      case "trashed": if try fields.flag(name, json) { fields.exclude(.trashed) }
      case "archived": if try fields.flag(name, json) { fields.exclude(.archived) }
      case "favorite": try fields.keepMark(name, json)
      // They mean nothing elsewhere, or say again what others do.
      case "uuid", "icon", "subtitle", "template_type", "auto_submit": try json.skip()
      default: try fields.keep(name, json)
      }
    }
    fields.endRecord(json)
    return fields.entry()
  }
}

/// One field of an item while it is read.
private struct EnpassField {
  private var (label, type) = ("", "")
  private var (isSensitive, isDeleted) = (false, false)
  private var value: Secret?
  private var changed: Timestamp?
  private var previous: [(secret: Secret?, time: Timestamp?)] = []

  init() {}

  mutating func read(_ json: JSONReader, _ fields: inout EntryFields) throws(VaultError) {
    var field = self
    try json.members(of: "field", &fields) { (name, fields) throws(VaultError) in
      switch name {
      case "label": field.label = try fields.text("field label", json) ?? ""
      case "type": field.type = try fields.text("field type", json) ?? ""
      case "sensitive": field.isSensitive = try fields.flag(name, json)
      case "deleted": field.isDeleted = try fields.flag(name, json)
      case "value": field.value = try fields.value("field value", json)
      case "value_updated_at": field.changed = try fields.time(name, json)
      case "history":
        try json.elements(of: "earlier field", &fields) { (fields) throws(VaultError) in
          field.previous.append(try Self.readPrevious(json, &fields))
        }
      // Its place in the form.
      case "uid", "order", "updated_at": try json.skip()
      default: try fields.keep("field \(name)", json)
      }
    }
    self = field
  }

  private static func readPrevious(
    _ json: JSONReader, _ fields: inout EntryFields
  ) throws(VaultError) -> (secret: Secret?, time: Timestamp?) {
    var (secret, time): (Secret?, Timestamp?) = (nil, nil)
    try json.members(of: "earlier field", &fields) { (name, fields) throws(VaultError) in
      switch name {
      case "value": secret = try fields.value("earlier value", json)
      case "updated_at": time = try fields.time(name, json)
      default: try fields.keep("earlier field \(name)", json)
      }
    }
    return (secret, time)
  }

  func add(to fields: inout EntryFields) {
    let name = label.isEmpty ? (type.isEmpty ? "field" : type) : label
    let isPassword = type == "password" && !isDeleted && fields.draft.secret == nil
    if isPassword {
      fields.draft.secret = value
      // Its name in the template of a login.
      if name.lowercased() != "password" { fields.draft.addCustom("label", name) }
    }
    for (secret, time) in previous {
      if isPassword {
        fields.addPrevious(secret, replaced: time ?? changed)
      } else if let secret {
        fields.draft.addSecret("earlier \(name)", secret)
      }
    }
    // The heading of the fields below it.
    if type == "section" { fields.draft.addCustom("section", label) }
    guard !isPassword, let value, value.count > 0 else { return }
    guard !isDeleted else { return fields.draft.addSecret("\(name) (deleted)", value) }
    switch type {
    case "username" where fields.draft.account.isEmpty: fields.setAccount(value)
    case "url": fields.addAddress(value)
    case "totp": fields.draft.addSecret(EntryDraft.oneTimePassword, value)
    case "username", "email": fields.addOtherAccount(name, value)
    default:
      let isSecret =
        isSensitive || ["password", "pin", "ccNumber", "ccCvc", "ccPin"].contains(type)
      fields.addCustom(name, value, isSecret: isSecret)
    }
  }
}
