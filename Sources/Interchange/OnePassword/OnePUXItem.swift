import SecureMemory
import VaultModel

/// One item of the export while it is read.
struct OnePUXItem {
  private let json: JSONReader
  private var fields: EntryFields
  private var section = OnePUXSection()
  /// The ids of the attachments that were named.
  var attachments: [String] { fields.attachments }

  init(
    _ json: JSONReader, _ place: Place, folder: (name: String, description: String),
    _ options: ReadingOptions
  ) {
    self.json = json
    fields = EntryFields(place, path: .page, options)
    fields.draft.addCustom("folder", folder.name)
    fields.draft.addCustom("folder description", folder.description)
  }

  mutating func read() throws(VaultError) -> Entry {
    json.beginRecord()
    guard try json.kind() == .object else {
      try json.skip()
      json.endRecord()
      return Entry(fields.draft.place, .rejected("not an object"))
    }
    try json.beginObject()
    while let name = try json.nextName() {
      switch name {
      case "createdAt": fields.draft.created = try fields.time(name, json)
      case "updatedAt": fields.draft.modified = try fields.time(name, json)
      case "state":
        switch try fields.text(name, json) {
        case "archived": fields.exclude(.archived)
        case "deleted", "trashed": fields.exclude(.trashed)
        case "active", nil: break
        case let state?: fields.draft.addCustom("state", state)
        }
      case "trashed": if try fields.flag(name, json) { fields.exclude(.trashed) }
      case "categoryUuid":
        fields.draft.kind = Self.kind(of: try fields.text(name, json) ?? "")
      case "details": try readDetails()
      case "overview": try readOverview()
      case "favIndex": try fields.keepMark("favorite", json)
      // It means nothing elsewhere.
      case "uuid": try json.skip()
      default: try fields.keep(name, json)
      }
    }
    fields.endRecord(json)
    section.add(to: &fields)
    return fields.entry()
  }

  private mutating func readOverview() throws(VaultError) {
    let json = json
    var tags: [String] = []
    try json.members(of: "overview", &fields) { (name, fields) throws(VaultError) in
      switch name {
      case "title": fields.draft.title = try fields.text(name, json) ?? ""
      case "url": if let url = try fields.secret(name, json) { fields.addAddress(url) }
      case "urls":
        try json.elements(of: name, &fields) { (fields) throws(VaultError) in
          try Self.readAddress(json, &fields)
        }
      case "tags":
        try json.elements(of: name, &fields) { (fields) throws(VaultError) in
          if let tag = try fields.text("tags", json) { tags.append(tag) }
        }
      // They say again what others do, or how strong the password is.
      case "ainfo", "subtitle", "ps", "pbe", "pgrng", "icons", "watchtowerExclusions":
        try json.skip()
      default: try fields.keep(name, json)
      }
    }
    fields.draft.addCustom("tags", tags.joined(separator: ","))
  }

  private static func readAddress(
    _ json: JSONReader, _ fields: inout EntryFields
  ) throws(VaultError) {
    try json.members(of: "url", &fields) { (name, fields) throws(VaultError) in
      switch name {
      case "url": if let url = try fields.secret(name, json) { fields.addAddress(url) }
      case "label":
        // The program's own name for the first of them.
        if let label = try fields.text(name, json), label != "website" {
          fields.draft.addCustom("address label", label)
        }
      case "mode":
        if let mode = try fields.text(name, json), mode != "default" {
          fields.draft.addCustom("address mode", mode)
        }
      default: try fields.keep("url \(name)", json)
      }
    }
  }

  private mutating func readDetails() throws(VaultError) {
    let json = json
    var section = section
    try json.members(of: "details", &fields) { (name, fields) throws(VaultError) in
      switch name {
      case "loginFields":
        try json.elements(of: name, &fields) { (fields) throws(VaultError) in
          try Self.readLoginField(json, &fields)
        }
      // Of an item that is a password and nothing else.
      case "password":
        if let secret = try fields.secret(name, json) { section.secrets.append((name, secret)) }
      case "notesPlain": fields.addComment(try fields.value(name, json))
      case "sections":
        try json.elements(of: name, &fields) { (fields) throws(VaultError) in
          try section.read(json, &fields)
        }
      case "passwordHistory":
        try json.elements(of: name, &fields) { (fields) throws(VaultError) in
          try Self.readPrevious(json, &fields)
        }
      case "documentAttributes": try fields.nameAttachment("fileName", id: "documentId", json)
      // The form that the entry was saved from.
      case _ where name.hasPrefix("html"): try json.skip()
      default: try fields.keep(name, json)
      }
    }
    self.section = section
  }

  private static func readPrevious(
    _ json: JSONReader, _ fields: inout EntryFields
  ) throws(VaultError) {
    var (secret, replaced): (Secret?, Timestamp?)
    try json.members(of: "passwordHistory", &fields) { (name, fields) throws(VaultError) in
      switch name {
      case "value": secret = try fields.value("previous password", json)
      case "time": replaced = try fields.time("previous password time", json)
      default: try fields.keep("previous password \(name)", json)
      }
    }
    fields.addPrevious(secret, replaced: replaced)
  }

  private static func readLoginField(
    _ json: JSONReader, _ fields: inout EntryFields
  ) throws(VaultError) {
    var (value, name, designation, type): (Secret?, String, String?, String?) = (nil, "", nil, nil)
    try json.members(of: "field", &fields) { (member, fields) throws(VaultError) in
      switch member {
      case "value": value = try fields.value("field value", json)
      case "name": name = try fields.text("field name", json) ?? ""
      case "designation": designation = try fields.text("field designation", json)
      case "fieldType": type = try fields.text("field type", json)
      // Of the form.
      case "id": try json.skip()
      default: try fields.keep("field \(member)", json)
      }
    }
    guard let value, value.count > 0 else { return }
    let isHidden = type == "P" || designation == "password"
    let title = name.isEmpty ? designation.flatMap { $0.isEmpty ? nil : $0 } ?? "field" : name
    switch designation {
    case "username" where fields.draft.account.isEmpty: fields.setAccount(value)
    case "password" where fields.draft.secret == nil: fields.draft.secret = value
    default: fields.addCustom(title, value, isSecret: isHidden)
    }
  }

  /// Returns what people call the items of a category; empty for those with a password.
  private static func kind(of category: String) -> String {
    switch category {
    // Login, password, database, wireless router, server, mail account, API credential.
    case "001", "005", "102", "109", "110", "111", "112": ""
    case "002": "credit card"
    case "003": "secure note"
    case "004": "identity"
    case "006": "document"
    case "100": "software license"
    case "101": "bank account"
    case "103": "driver license"
    case "104": "outdoor license"
    case "105": "membership"
    case "106": "passport"
    case "107": "reward program"
    case "108": "social security number"
    case "113": "medical record"
    case "114": "SSH key"
    case "115": "crypto wallet"
    default: "another kind of entry"
    }
  }
}
