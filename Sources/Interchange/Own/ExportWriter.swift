import SecureMemory
import VaultModel

/// Writes `vaultctl`'s own export, one item a line.
struct ExportWriter: EntryWriter {
  private let sink: ByteSink
  private let exported: Timestamp
  private var isFirst = true
  private var needsComma = false

  init(_ sink: ByteSink, exported: Timestamp = .now()) {
    self.sink = sink
    self.exported = exported
  }

  mutating func begin() throws(VaultError) {
    try sink.write("{")
    needsComma = false
    try field("format", .text(ExportDocument.format))
    try name("version")
    try sink.write(String(ExportDocument.version))
    try field("exported", .text(exported.rfc3339))
    try name("items")
    try sink.write("[")
  }

  mutating func write(
    _ item: Item, isDefault: Bool, previous: [PreviousSecret]
  ) throws(VaultError) -> WritingResult {
    try write(item, isDefault: isDefault, removed: nil, previous: previous)
  }

  mutating func write(
    removed item: Item, at time: Timestamp, previous: [PreviousSecret]
  ) throws(VaultError) -> WritingResult {
    try write(item, isDefault: false, removed: time, previous: previous)
  }

  private mutating func write(
    _ item: Item, isDefault: Bool, removed: Timestamp?, previous: [PreviousSecret]
  ) throws(VaultError) -> WritingResult {
    guard item.storedSecret != nil || item.isNegative else { return .leftOut(.noSecret) }
    try sink.write(isFirst ? "\n{" : ",\n{")
    (isFirst, needsComma) = (false, false)
    let itemClass = item.key.itemClass
    try field("class", .text(ExportDocument.name(itemClass)))
    for attribute in ExportDocument.attributes(of: itemClass) { try write(attribute, of: item) }
    if isDefault, itemClass == .internetPassword {
      try name(ExportDocument.isDefault)
      try sink.write("true")
    }
    if let removed { try field(ExportDocument.removed, .text(removed.rfc3339)) }
    try write(previous)
    try sink.write("}")
    return .written(previous.contains { $0.storedSecret == nil } ? [.expiredSecrets] : [])
  }

  private mutating func write(_ previous: [PreviousSecret]) throws(VaultError) {
    // An expired item has no secret.
    let previous = previous.filter { $0.storedSecret != nil }
    guard !previous.isEmpty else { return }
    try name(ExportDocument.previous)
    try sink.write("[")
    for (index, previous) in previous.enumerated() {
      try sink.write(index == 0 ? "{" : ",{")
      needsComma = false
      try field(ExportDocument.set, .text(previous.set.rfc3339))
      try field(ExportDocument.replaced, .text(previous.replaced.rfc3339))
      if let expires = previous.expires {
        try field(Attribute.expires.json, .text(expires.rfc3339))
      }
      if previous.kind != .password { try write(previous.kind) }
      if !previous.certificates.isEmpty {
        try field(Attribute.certificates.json, bytes: previous.certificates)
      }
      if let secret = previous.storedSecret { try write(secret, Attribute.secret.json) }
      try sink.write("}")
    }
    try sink.write("]")
    needsComma = true
  }

  mutating func write(_ rules: [PersistencePolicy.Rule]) throws(VaultError) -> Bool {
    guard !rules.isEmpty else { return true }
    try sink.write("\n],\"\(ExportDocument.policy)\":[")
    for (index, rule) in rules.enumerated() {
      try sink.write(index == 0 ? "\n{" : ",\n{")
      needsComma = false
      for (name, value) in ExportRule.members(of: rule) {
        switch value {
        case .text(let text): try field(name, .text(text))
        case .number(let number):
          try self.name(name)
          try sink.write(String(number))
        case .flag(let flag):
          try self.name(name)
          try sink.write(flag ? "true" : "false")
        }
      }
      try sink.write("}")
    }
    return true
  }

  mutating func write(leftOut parts: [(title: String, reason: String)]) throws(VaultError) {
    guard !parts.isEmpty else { return }
    try sink.write("\n],\"\(ExportDocument.leftOut)\":[")
    for (index, part) in parts.enumerated() {
      try sink.write(index == 0 ? "\n{" : ",\n{")
      needsComma = false
      try field(ExportDocument.title, .text(part.title))
      try field(ExportDocument.reason, .text(part.reason))
      try sink.write("}")
    }
  }

  mutating func end() throws(VaultError) {
    try sink.write("\n]}\n")
    try sink.flush()
  }

  private mutating func write(
    _ attribute: Attribute, of item: Item
  ) throws(VaultError) {
    switch (attribute.form, item[attribute]) {
    case (.id, _): try field(attribute.json, .text(item.id.text))
    case (.port, .number(let number)?):
      try name(attribute.json)
      try sink.write(String(number))
    case (.code, .number(let number)?):
      try field(attribute.json, .text(FourCharacterCode(rawValue: number).description))
    case (.secretKind, .number): try write(item.secretKind)
    // A method that is unset is another one than the default.
    case (.method, let value):
      if case .text(let text)? = value {
        try field(attribute.json, .text(text))
      } else {
        try field(attribute.json, .text(""))
      }
    case (_, .text(let text)?): try field(attribute.json, .text(text))
    case (_, .flag(let isSet)?):
      try name(attribute.json)
      try sink.write(isSet ? "true" : "false")
    case (_, .time(let time)?): try field(attribute.json, .text(time.rfc3339))
    case (_, .data(let bytes)?): try field(attribute.json, bytes: bytes)
    case (_, .secret(let secret)?): try write(secret, attribute.json)
    case (_, .custom(let texts)?):
      try name(attribute.json)
      try sink.write("{")
      needsComma = false
      for (name, text) in texts.sorted(by: { $0.key < $1.key }) { try field(name, .text(text)) }
      try sink.write("}")
      needsComma = true
    case (_, .number), (_, nil): break
    }
  }

  private mutating func write(_ kind: SecretKind) throws(VaultError) {
    let names = ExportDocument.secretKinds
    let number = Int(kind.rawValue)
    if names.indices.contains(number) {
      try field(Attribute.secretKind.json, .text(names[number]))
    } else {
      try name(Attribute.secretKind.json)
      try sink.write(String(number))
    }
  }

  private mutating func write(_ secret: Secret, _ name: String) throws(VaultError) {
    if secret.withRawBytes({ Bytes.areUTF8($0) }) {
      try field(name, .secret(secret))
    } else {
      try self.name(name + ExportDocument.base64Suffix)
      try secret.withRawBytes { (bytes) throws(VaultError) in try base64(bytes) }
    }
  }

  private func base64(_ bytes: RawSpan) throws(VaultError) {
    try sink.write(UInt8(ascii: "\""))
    try sink.write(base64: bytes)
    try sink.write(UInt8(ascii: "\""))
  }

  private mutating func field(_ name: String, bytes: [UInt8]) throws(VaultError) {
    try self.name(name)
    // The array is not changed while its span is read.
    try base64(unsafe bytes.span.bytes)
  }

  private mutating func field(_ name: String, _ value: Field) throws(VaultError) {
    try self.name(name)
    try quoted(value)
  }

  private mutating func name(_ name: String) throws(VaultError) {
    if needsComma { try sink.write(UInt8(ascii: ",")) }
    needsComma = true
    try quoted(.text(name))
    try sink.write(UInt8(ascii: ":"))
  }

  private func quoted(_ value: Field) throws(VaultError) {
    try sink.write(UInt8(ascii: "\""))
    try value.withBytes { (bytes) throws(VaultError) in
      for index in 0..<bytes.byteCount {
        try JSONText.escape(Bytes.at(bytes, index)) { (byte) throws(VaultError) in
          try sink.write(byte)
        }
      }
    }
    try sink.write(UInt8(ascii: "\""))
  }
}
