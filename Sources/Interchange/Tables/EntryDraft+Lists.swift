import SecureMemory
import VaultModel

// Columns that hold lists of their own.
extension EntryDraft {
  /// Adds the addresses of an array in JSON; anything else is kept as it is.
  mutating func addAddresses(inJSON bytes: RawSpan, _ column: String) throws(VaultError) {
    let addresses = Self.json(bytes) { (json) throws(VaultError) -> [Secret?] in
      var addresses: [Secret?] = []
      try json.elements { () throws(VaultError) in addresses.append(try json.secretIfString()) }
      return addresses
    }
    guard let addresses, !addresses.isEmpty, !addresses.contains(where: { $0 == nil }) else {
      return try addCustom(column, bytes)
    }
    for address in addresses.compactMap(\.self) {
      try address.withRawBytes { (bytes) throws(VaultError) in try addAddress(bytes) }
    }
  }

  /// Adds the fields of an array of objects with `label`, `type` and `value`, in JSON; anything
  /// else is a further secret as it is.
  mutating func addFields(inJSON bytes: RawSpan, _ column: String) throws(VaultError) {
    typealias Field = (label: String, type: String, value: Secret)
    let fields = Self.json(bytes) { (json) throws(VaultError) -> [Field?] in
      var fields: [Field?] = []
      try json.elements { () throws(VaultError) in
        var field: (label: String, type: String, value: Secret?) = ("", "", nil)
        var isKnown = true
        try json.members { (name) throws(VaultError) in
          switch name {
          case "label": field.label = try json.textIfString() ?? ""
          case "type": field.type = try json.textIfString() ?? ""
          case "value": field.value = try json.secretIfString()
          default:
            isKnown = false
            try json.skip()
          }
        }
        fields.append(
          isKnown ? field.value.map { (field.label, field.type, $0) } : nil)
      }
      return fields
    }
    guard let fields, !fields.isEmpty, !fields.contains(where: { $0 == nil }) else {
      return addSecret(column, bytes)
    }
    for (label, type, value) in fields.compactMap(\.self) {
      let name = label.isEmpty ? "field" : label
      guard type != "hidden" else {
        addSecret(name, value)
        continue
      }
      try value.withRawBytes { (bytes) throws(VaultError) in try addCustom(name, bytes) }
    }
  }

  /// Adds a form field of RoboForm, `label,name,…,type,value` or, in older files,
  /// `label:type:value`.
  ///
  /// Its form's user and password are those of the entry.
  mutating func addFormField(_ bytes: RawSpan, _ column: String) throws(VaultError) {
    let isOld = column.lowercasedASCII == "rf_fields"
    let separator = isOld ? UInt8(ascii: ":") : UInt8(ascii: ",")
    let separators = (0..<bytes.byteCount).filter { Bytes.at(bytes, $0) == separator }
    let count = isOld ? 2 : 4
    guard separators.count >= count else { return try addCustom("field", bytes) }
    let type = bytes.extracting((separators[count - 2] + 1)..<separators[count - 1])
    let value = bytes.extracting((separators[count - 1] + 1)..<bytes.byteCount)
    var label = try Bytes.text(bytes.extracting(0..<separators[0]), "field")
    if label.hasSuffix("$") { label.removeLast() }
    switch label {
    case "User ID" where Bytes.textOrNil(value) == account: break
    case "Password" where secret?.isEqual(to: Secret(copying: value)) == true: break
    case _ where Bytes.equal(type, "pwd"): addSecret(label, value)
    default: try addCustom(label == "-no-name-" ? "field" : label, value)
    }
  }

  /// Returns what `body` reads of a document; nil if it is none.
  private static func json<R>(
    _ bytes: RawSpan, _ body: (JSONReader) throws(VaultError) -> [R]
  ) -> [R]? {
    do throws(VaultError) {
      let json = JSONReader(ByteSource(Secret(copying: bytes)))
      let read = try body(json)
      try json.finish()
      return read
    } catch {
      // The caller keeps the text.
      return nil
    }
  }
}
