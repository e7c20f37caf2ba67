import SecureMemory
import VaultModel

/// One item of the export while it is read.
struct OnePUXItem {
  private let json: JSONReader
  private var fields: EntryFields
  /// The values of the sections, for categories without a login form.
  private var other: (secret: Secret?, address: Secret?) = (nil, nil)

  init(_ json: JSONReader, _ place: Place, folder: String, _ options: ReadingOptions) {
    self.json = json
    fields = EntryFields(place, path: .page, options)
    fields.draft.addCustom("folder", folder)
  }

  mutating func read() throws(VaultError) -> Entry {
    json.beginRecord()
    try json.beginObject()
    while let name = try json.nextName() {
      switch name {
      case "createdAt": fields.draft.created = try time()
      case "updatedAt": fields.draft.modified = try time()
      case "state":
        switch try json.textIfString() {
        case "archived": fields.exclude(.archived)
        case "deleted", "trashed": fields.exclude(.trashed)
        default: break
        }
      case "categoryUuid": fields.draft.kind = Self.kind(of: try json.textIfString() ?? "")
      case "details": try readDetails()
      case "overview": try readOverview()
      // They mean nothing elsewhere.
      case "uuid", "favIndex": try json.skip()
      default: try fields.addSecrets(name, json)
      }
    }
    json.endRecord()
    if fields.draft.secret == nil { fields.draft.secret = other.secret }
    if let address = other.address { fields.addAddress(address) }
    return fields.entry()
  }

  private func time() throws(VaultError) -> Timestamp? {
    try json.numberIfAny().map { Timestamp(seconds: $0) }
  }

  private mutating func readOverview() throws(VaultError) {
    guard try json.kind() == .object else { return try json.skip() }
    var (main, others): (Secret?, [Secret]) = (nil, [])
    try json.beginObject()
    while let name = try json.nextName() {
      switch name {
      case "title": fields.draft.title = try json.textIfString() ?? ""
      case "url": main = try json.secretIfString()
      case "urls":
        try json.elements { () throws(VaultError) in
          try json.members { (name) throws(VaultError) in
            guard name == "url" else { return try json.skip() }
            if let url = try json.secretIfString() { others.append(url) }
          }
        }
      case "tags":
        var tags: [String] = []
        try json.elements { () throws(VaultError) in
          if let tag = try json.textIfString() { tags.append(tag) }
        }
        fields.draft.addCustom("tags", tags.joined(separator: ","))
      // They say again what others do, or how strong the password is.
      case "ainfo", "subtitle", "ps", "pbe", "pgrng", "icons", "watchtowerExclusions":
        try json.skip()
      default: try fields.addSecrets(name, json)
      }
    }
    // The first address is among the others, if there are any.
    for address in others.isEmpty ? [main].compactMap(\.self) : others {
      fields.addAddress(address)
    }
  }

  private mutating func readDetails() throws(VaultError) {
    guard try json.kind() == .object else { return try json.skip() }
    try json.beginObject()
    while let name = try json.nextName() {
      switch name {
      case "loginFields":
        guard try json.kind() == .array else {
          try json.skip()
          continue
        }
        try json.beginArray()
        while try json.nextElement() { try readLoginField() }
      case "password":
        // Of an item that is a password and nothing else.
        if let secret = try json.secretIfString(), secret.count > 0 { other.secret = secret }
      case "notesPlain": fields.addComment(try json.secretIfString())
      case "sections":
        guard try json.kind() == .array else {
          try json.skip()
          continue
        }
        try json.beginArray()
        while try json.nextElement() { try readSection() }
      case "passwordHistory":
        try json.elements { () throws(VaultError) in try readPrevious() }
      case "documentAttributes":
        var file = ""
        try json.members { (name) throws(VaultError) in
          if name == "fileName" { file = try json.textIfString() ?? "" } else { try json.skip() }
        }
        fields.draft.remark(.attachment, file)
      // The form that the entry was saved from.
      case _ where name.hasPrefix("html"): try json.skip()
      default: try fields.addSecrets(name, json)
      }
    }
  }

  private mutating func readPrevious() throws(VaultError) {
    var (secret, replaced): (Secret?, Timestamp?)
    try json.members { (name) throws(VaultError) in
      switch name {
      case "value": secret = try json.secretIfString()
      case "time": replaced = try time()
      default: try json.skip()
      }
    }
    fields.addPrevious(secret, replaced: replaced)
  }

  private mutating func readLoginField() throws(VaultError) {
    var (value, name, designation, type): (Secret?, String, String?, String?) = (nil, "", nil, nil)
    try json.members { (member) throws(VaultError) in
      switch member {
      case "value": value = try json.secretIfString()
      case "name": name = try json.textIfString() ?? ""
      case "designation": designation = try json.textIfString()
      case "fieldType": type = try json.textIfString()
      default: try json.skip()
      }
    }
    guard let value, value.count > 0 else { return }
    switch designation {
    case "username": fields.setAccount(value)
    case "password": fields.draft.secret = value
    default: fields.addCustom(name.isEmpty ? "field" : name, value, isSecret: type == "P")
    }
  }

  private mutating func readSection() throws(VaultError) {
    guard try json.kind() == .object else { return try json.skip() }
    try json.beginObject()
    while let name = try json.nextName() {
      guard name == "fields", try json.kind() == .array else {
        try json.skip()
        continue
      }
      try json.beginArray()
      while try json.nextElement() { try readField() }
    }
  }

  private mutating func readField() throws(VaultError) {
    var (title, id): (String, String) = ("", "")
    var (value, kind): (Secret?, String) = (nil, "")
    try json.members { (member) throws(VaultError) in
      switch member {
      case "title": title = try json.textIfString() ?? ""
      case "id": id = try json.textIfString() ?? ""
      case "value":
        try json.members { (name) throws(VaultError) in
          kind = name
          value = try readValue(name, of: title.isEmpty ? id : title)
        }
      default: try json.skip()
      }
    }
    guard let value, value.count > 0 else { return }
    switch (kind, id) {
    case ("totp", _): fields.draft.addSecret(EntryDraft.oneTimePassword, value)
    case ("concealed", "password"), ("concealed", "credential"): other.secret = value
    // That of a mail account, which has one for reading and one for sending.
    case ("concealed", _) where id.hasSuffix("_password") && other.secret == nil:
      other.secret = value
    case (_, "username"):
      fields.setAccount(value)
    case (_, "url"), (_, "hostname"): other.address = value
    default:
      let isSecret = ["concealed", "creditCardNumber", "sshKey"].contains(kind)
      fields.addCustom(title.isEmpty ? id : title, value, isSecret: isSecret)
    }
  }

  /// Reads a value that is a text; one of several parts becomes further secrets.
  private mutating func readValue(
    _ kind: String, of field: String
  ) throws(VaultError) -> Secret? {
    var value: Secret?
    switch (kind, try json.kind()) {
    case (_, .string): value = try json.secret()
    case ("date", .number):
      if let time = try time() { fields.draft.addCustom(field, time.rfc3339) }
    case ("email", .object):
      try json.members { (name) throws(VaultError) in
        if name == "email_address" { value = try json.secretIfString() } else { try json.skip() }
      }
    case ("file", .object):
      try json.members { (name) throws(VaultError) in
        if name == "fileName" {
          fields.draft.remark(.attachment, try json.textIfString() ?? "")
        } else {
          try json.skip()
        }
      }
    default: try fields.addSecrets(field, json)
    }
    return value
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
