import SecureMemory
import VaultModel

/// The fields in the sections of an item, of which some are the login of an item without a form.
struct OnePUXSection {
  /// The password, the account and the address if the form has none.
  var secrets: [(name: String, value: Secret)] = []
  /// The password if there is none of these, such as that of a mail account, which has one
  /// for reading and one for sending.
  private var others: [(name: String, value: Secret)] = []
  private var accounts: [(name: String, value: Secret)] = []
  private var addresses: [(name: String, value: Secret)] = []

  /// Reads a section.
  mutating func read(_ json: JSONReader, _ fields: inout EntryFields) throws(VaultError) {
    var section = self
    try json.members(of: "section", &fields) { (name, fields) throws(VaultError) in
      switch name {
      case "fields":
        try json.elements(of: "section", &fields) { (fields) throws(VaultError) in
          try section.readField(json, &fields)
        }
      case "title":
        if let title = try fields.text(name, json) { fields.draft.addCustom("section", title) }
      // Its place in the form.
      case "name", "hideAddAnotherField": try json.skip()
      default: try fields.keep("section \(name)", json)
      }
    }
    self = section
  }

  /// Adds what the sections have for the login.
  func add(to fields: inout EntryFields) {
    for (name, value) in accounts {
      if fields.draft.account.isEmpty {
        fields.setAccount(value)
      } else {
        fields.addOtherAccount(name, value)
      }
    }
    for (name, value) in secrets + others where value.count > 0 {
      if fields.draft.secret == nil {
        fields.draft.secret = value
      } else if fields.draft.secret?.isEqual(to: value) != true {
        fields.draft.addSecret(name, value)
      }
    }
    for (name, value) in addresses {
      if fields.draft.addresses.isEmpty {
        fields.addAddress(value)
      } else {
        fields.addCustom(name, value, isSecret: false)
      }
    }
  }

  private mutating func readField(
    _ json: JSONReader, _ fields: inout EntryFields
  ) throws(VaultError) {
    var (title, id, kind): (String, String, String) = ("", "", "")
    var value: Secret?
    try json.members(of: "field", &fields) { (member, fields) throws(VaultError) in
      switch member {
      case "title": title = try fields.text("field title", json) ?? ""
      case "id": id = try fields.text("field id", json) ?? ""
      case "value":
        let field = title.isEmpty ? id : title
        try json.members(of: field, &fields) { (name, fields) throws(VaultError) in
          kind = name
          value = try Self.readValue(name, of: field, json, &fields)
        }
      // How the form shows the field, and makes a password.
      case "indexAtSource", "guarded", "multiline", "dontGenerate", "inputTraits", "placeholder",
        "clipboardFilter", "generate":
        try json.skip()
      default: try fields.keep("\(title.isEmpty ? id : title) \(member)", json)
      }
    }
    guard let value, value.count > 0 else { return }
    let name = title.isEmpty ? id : title
    switch (kind, id) {
    case ("totp", _): fields.draft.addSecret(EntryDraft.oneTimePassword, value)
    case ("concealed", "password"), ("concealed", "credential"): secrets.append((name, value))
    case ("concealed", _) where id.hasSuffix("_password"): others.append((name, value))
    case (_, "username"): accounts.append((name, value))
    case (_, "url"), (_, "hostname"): addresses.append((name, value))
    default:
      let isSecret = ["concealed", "creditCardNumber", "sshKey"].contains(kind)
      fields.addCustom(name.isEmpty ? "field" : name, value, isSecret: isSecret)
    }
  }

  /// Reads a value that is a text; one of several parts becomes further secrets.
  private static func readValue(
    _ kind: String, of field: String, _ json: JSONReader, _ fields: inout EntryFields
  ) throws(VaultError) -> Secret? {
    var value: Secret?
    switch (kind, try json.kind()) {
    case (_, .string): value = try json.secret()
    case ("date", .number):
      if let seconds = try fields.number(field, json) {
        fields.draft.addCustom(field, Timestamp(seconds: seconds).rfc3339)
      }
    case ("email", .object):
      try json.members(of: field, &fields) { (name, fields) throws(VaultError) in
        if name == "email_address" {
          value = try fields.secret(field, json)
        } else {
          try fields.keep("\(field) \(name)", json)
        }
      }
    case ("file", .object): try fields.nameAttachment("fileName", id: "documentId", json)
    default: try fields.keep(field.isEmpty ? "field" : field, json)
    }
    return value
  }
}
