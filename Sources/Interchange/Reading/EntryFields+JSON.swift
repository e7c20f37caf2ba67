import SecureMemory
import VaultModel

// Values of documents that other programs write. What a reader does not expect, another member or a
// value of another kind, is kept under its name: `keep` is the last branch of every reader.
extension EntryFields {
  /// Keeps a value of any kind, with all that it holds: texts as further secrets, because nobody
  /// knows what they are, numbers and flags as custom attributes; null says nothing.
  mutating func keep(_ name: String, _ json: JSONReader) throws(VaultError) {
    switch try json.kind() {
    case .string: draft.addSecret(name, try json.secret())
    case .boolean: draft.addCustom(name, try json.boolean() ? "true" : "false")
    case .number:
      guard let number = try json.wholeNumber() else { return draft.remark(.otherField, name) }
      draft.addCustom(name, String(number))
    case .null: try json.skip()
    case .object:
      try json.members { (member) throws(VaultError) in try keep("\(name) \(member)", json) }
    case .array:
      var count = 0
      try json.elements { () throws(VaultError) in
        count += 1
        try keep(count == 1 ? name : "\(name) \(count)", json)
      }
    }
  }

  /// Keeps a value as a mark of the program, which says nothing if it is false or 0.
  mutating func keepMark(_ name: String, _ json: JSONReader) throws(VaultError) {
    switch try json.kind() {
    case .boolean: if try json.boolean() { draft.addCustom(name, "true") }
    case .number:
      guard let number = try json.wholeNumber() else { return draft.remark(.otherField, name) }
      if number != 0 { draft.addCustom(name, String(number)) }
    default: try keep(name, json)
    }
  }

  /// Reads a string as text, or keeps another value and returns nil.
  mutating func text(_ name: String, _ json: JSONReader) throws(VaultError) -> String? {
    if try json.kind() == .string { return try json.string() }
    try keep(name, json)
    return nil
  }

  /// Reads a string as a secret, or keeps another value and returns nil.
  mutating func secret(_ name: String, _ json: JSONReader) throws(VaultError) -> Secret? {
    if try json.kind() == .string { return try json.secret() }
    try keep(name, json)
    return nil
  }

  /// Reads a string, a whole number or a flag as a secret, or keeps another value and returns nil.
  mutating func value(_ name: String, _ json: JSONReader) throws(VaultError) -> Secret? {
    switch try json.kind() {
    case .string: return try json.secret()
    case .boolean: return Secret(try json.boolean() ? "true" : "false")
    case .number:
      if let number = try json.wholeNumber() { return Secret(String(number)) }
      draft.remark(.otherField, name)
    case .null, .object, .array: try keep(name, json)
    }
    return nil
  }

  /// Reads a whole number, or keeps another value and returns nil.
  mutating func number(_ name: String, _ json: JSONReader) throws(VaultError) -> Int64? {
    guard try json.kind() == .number else {
      try keep(name, json)
      return nil
    }
    let number = try json.wholeNumber()
    if number == nil { draft.remark(.otherField, name) }
    return number
  }

  /// Reads true or false, or a number in the place of it; keeps another value and returns false.
  mutating func flag(_ name: String, _ json: JSONReader) throws(VaultError) -> Bool {
    switch try json.kind() {
    case .boolean: return try json.boolean()
    case .number: return try json.wholeNumber() ?? 1 != 0
    default:
      try keep(name, json)
      return false
    }
  }

  /// Reads the time in seconds since 1970, or keeps another value and returns nil.
  mutating func time(_ name: String, _ json: JSONReader) throws(VaultError) -> Timestamp? {
    guard let seconds = try number(name, json), seconds > 0 else { return nil }
    return Timestamp(seconds: seconds)
  }

  /// Names an attachment, an object whose member `member` has its name, and another one its id.
  mutating func nameAttachment(
    _ member: String, id: String? = nil, _ json: JSONReader
  ) throws(VaultError) {
    guard try json.kind() != .null else { return try json.skip() }
    var file = ""
    try json.members { (name) throws(VaultError) in
      switch name {
      case member: file = try json.textIfString() ?? ""
      case id: attachments.append(try json.textIfString() ?? "")
      default: try json.skip()
      }
    }
    draft.remark(.attachment, file)
  }
}

extension EntryFields {
  /// Ends the record of the entry, which is rejected for its fault, or named where a part of it is
  /// not as it was.
  mutating func endRecord(_ json: JSONReader) {
    let faults = json.endRecord()
    for name in faults.halves { draft.remark(.halfCharacter, name) }
    if let problem = faults.problem { reject(problem) }
  }
}

extension JSONReader {
  /// Creates a reader of entries of another program: one with a text that no item can hold is read,
  /// and then rejected or named, and so is one with a fault that its program has written.
  convenience init(entriesOf source: ByteSource) {
    var limits = Limits()
    limits.string = limits.record
    self.init(source, limits: limits, isForeign: true)
  }

  /// Passes over a value beside the entries, whatever is wrong in it.
  func skipRecord() throws(VaultError) {
    beginRecord()
    try skip()
    endRecord()
  }

  /// Reads an object member by member, or keeps another value in the entry.
  func members(
    of name: String, _ fields: inout EntryFields,
    _ body: (String, inout EntryFields) throws(VaultError) -> Void
  ) throws(VaultError) {
    guard try kind() == .object else { return try fields.keep(name, self) }
    try beginObject()
    while let name = try nextName() { try body(name, &fields) }
  }

  /// Reads an array element by element, or keeps another value in the entry.
  func elements(
    of name: String, _ fields: inout EntryFields,
    _ body: (inout EntryFields) throws(VaultError) -> Void
  ) throws(VaultError) {
    guard try kind() == .array else { return try fields.keep(name, self) }
    try beginArray()
    while try nextElement() { try body(&fields) }
  }

  /// Passes over a part of a document beside its entries, and returns its name as left out, unless
  /// it says nothing.
  func leaveOut(_ name: String) throws(VaultError) -> Entry? {
    let place = Place.line(line)
    return try skipsNothing() ? nil : Entry(place, .leftOut(.notAnEntry), title: name)
  }

  /// Passes over a value, and returns whether it says nothing.
  private func skipsNothing() throws(VaultError) -> Bool {
    let start = offset
    switch try kind() {
    case .null:
      try skip()
      return true
    case .boolean: return try !boolean()
    case .number: return try wholeNumber() == 0
    case .string, .object, .array:
      try skipRecord()
      return offset - start <= "{}".utf8.count
    }
  }

  // MARK: Values outside of an entry

  /// Reads a string as text; skips any other value and returns nil.
  func textIfString() throws(VaultError) -> String? {
    guard try kind() == .string else {
      try skip()
      return nil
    }
    return try string()
  }

  /// Reads a string as a secret; skips any other value and returns nil.
  func secretIfString() throws(VaultError) -> Secret? {
    guard try kind() == .string else {
      try skip()
      return nil
    }
    return try secret()
  }

  /// Reads a whole number; skips any other value and returns nil.
  func numberIfAny() throws(VaultError) -> Int64? {
    guard try kind() == .number else {
      try skip()
      return nil
    }
    return try wholeNumber()
  }

  /// Reads true or false; skips any other value and returns false.
  func isTrue() throws(VaultError) -> Bool {
    guard try kind() == .boolean else {
      try skip()
      return false
    }
    return try boolean()
  }

  /// Reads an object member by member; skips any other value.
  func members(
    _ body: (String) throws(VaultError) -> Void
  ) throws(VaultError) {
    guard try kind() == .object else {
      try skip()
      return
    }
    try beginObject()
    while let name = try nextName() { try body(name) }
  }

  /// Reads an array element by element; skips any other value.
  func elements(
    _ body: () throws(VaultError) -> Void
  ) throws(VaultError) {
    guard try kind() == .array else {
      try skip()
      return
    }
    try beginArray()
    while try nextElement() { try body() }
  }
}
