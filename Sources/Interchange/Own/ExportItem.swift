import SecureMemory
import VaultModel

/// One item of the export while it is read.
struct ExportItem {
  private let json: JSONReader
  private var itemClass: ItemClass?
  private var values: [Attribute: AttributeValue] = [:]
  private var isDefault = false
  private var previous: [PreviousSecret] = []
  private var removed: Timestamp?
  private var problem: VaultError?

  init(_ json: JSONReader) {
    self.json = json
  }

  private static let attributes = Dictionary(
    Attribute.all.filter { $0 != .revision && $0 != .keptUntil }.map { ($0.json, $0) },
    uniquingKeysWith: { first, _ in first })

  /// Reads the item; a fault of a value rejects the item, and the document is read on.
  mutating func read(at place: Place) throws(VaultError) -> Entry {
    guard try json.kind() == .object else {
      try json.skip()
      return Entry(place, .rejected("not an object"))
    }
    try json.beginObject()
    while let name = try json.nextName() {
      switch name {
      case "class": try readClass()
      case ExportDocument.isDefault: isDefault = try json.isTrue()
      case ExportDocument.previous: try readPrevious()
      case ExportDocument.removed: try readRemoved()
      default: try readAttribute(name)
      }
    }
    do throws(VaultError) {
      if let problem { throw problem }
      var item = try item()
      // By its id, too, copies know what was removed; an item that is there gets a new one.
      if removed != nil, case .text(let id)? = values[.id] { item.id = try ItemID(text: id) }
      try item.validate()
      var entry = Entry(place, .items([item]))
      entry.isDefault = isDefault
      entry.previous = previous
      entry.removed = removed
      return entry
    } catch {
      let names = [Attribute.label, .service, .server].compactMap { attribute in
        if case .text(let name)? = values[attribute], !name.isEmpty { name } else { nil }
      }
      return Entry(place, .rejected(error.text), title: names.first ?? "")
    }
  }

  private mutating func readClass() throws(VaultError) {
    let name = try json.textIfString()
    itemClass = ItemClass.allCases.first { ExportDocument.name($0) == name }
  }

  /// Reads the time of removal; one in the future counts as now.
  private mutating func readRemoved() throws(VaultError) {
    guard let text = try json.textIfString(), removed == nil else {
      return reject("\(ExportDocument.removed): not a time")
    }
    do throws(VaultError) {
      removed = min(try Timestamp(rfc3339: text), Timestamp.now())
    } catch {
      reject("\(ExportDocument.removed): \(error.text)")
    }
  }

  private mutating func readAttribute(_ name: String) throws(VaultError) {
    let suffix = ExportDocument.base64Suffix
    let isBase64 = name.hasSuffix(suffix)
    let plain = isBase64 ? String(name.dropLast(suffix.count)) : name
    guard let attribute = Self.attributes[plain], !isBase64 || attribute.form == .secret,
      values[attribute] == nil
    else {
      reject("a member that an item does not have")
      return try json.skip()
    }
    switch attribute.form {
    case .secret:
      guard let secret = try json.secretIfString() else { return reject(attribute) }
      try set(attribute) { () throws(VaultError) in
        .secret(isBase64 ? try Base64.decode(secret) : secret)
      }
    case .flag:
      guard try json.kind() == .boolean else { return try skip(attribute) }
      values[attribute] = .flag(try json.boolean())
    case .port:
      guard let number = try json.numberIfAny(), let port = UInt16(exactly: number) else {
        return reject(attribute)
      }
      values[attribute] = .number(UInt32(port))
    case .secretKind:
      guard let kind = try json.secretKindIfAny() else { return reject(attribute) }
      values[.secretKind] = .number(UInt32(kind.rawValue))
    case .custom:
      guard try json.kind() == .object else { return try skip(attribute) }
      var texts: [String: String] = [:]
      try json.beginObject()
      while let name = try json.nextName() {
        // Two names of different bytes can be one Swift string.
        guard let text = try json.textIfString(), texts.count <= Item.mostCustomAttributes,
          texts.updateValue(text, forKey: name) == nil
        else {
          reject(attribute)
          continue
        }
      }
      values[attribute] = .custom(texts)
    default:
      guard let text = try json.textIfString() else { return reject(attribute) }
      try set(attribute) { () throws(VaultError) in try Self.value(text, attribute.form) }
    }
  }

  private static func value(
    _ text: String, _ form: AttributeForm
  ) throws(VaultError) -> AttributeValue {
    switch form {
    case .host: .text(try HostName(text).name)
    case .networkProtocol: .text(try NetworkProtocol(text).rawValue)
    case .method: .text(try AuthenticationMethod(text).rawValue)
    case .code: .number(try FourCharacterCode(exported: text).rawValue)
    case .data: .data(try Base64.decode(Secret(text)).withRawBytes { Bytes.array($0) })
    case .time, .moment: .time(try Timestamp(rfc3339: text))
    case .id: .text(try ItemID(text: text).text)
    default: .text(text)
    }
  }

  /// Reads the secrets that the item had before, which can be as many as a vault keeps.
  private mutating func readPrevious() throws(VaultError) {
    guard try json.kind() == .array, previous.isEmpty else {
      reject("\(ExportDocument.previous): not a list, or a second one")
      return try json.skip()
    }
    try json.beginArray()
    while try json.nextElement() {
      guard previous.count < PreviousSecret.limits.upperBound, try json.kind() == .object else {
        reject("\(ExportDocument.previous): not an object, or too many")
        try json.skip()
        continue
      }
      var draft = PreviousDraft()
      try draft.read(json)
      do throws(VaultError) {
        previous.append(try draft.secret())
      } catch {
        reject("\(ExportDocument.previous): \(error.text)")
      }
    }
  }

  private mutating func set(
    _ attribute: Attribute, _ value: () throws(VaultError) -> AttributeValue
  ) throws(VaultError) {
    do throws(VaultError) {
      values[attribute] = try value()
    } catch {
      problem = problem ?? VaultError(.invalidData, "\(attribute.name): \(error.text)")
    }
  }

  private mutating func skip(_ attribute: Attribute) throws(VaultError) {
    reject(attribute)
    try json.skip()
  }

  private mutating func reject(_ attribute: Attribute) {
    reject("\(attribute.name): not a value of it")
  }

  private mutating func reject(_ reason: String) {
    problem = problem ?? VaultError(.invalidData, reason)
  }

  private func item() throws(VaultError) -> Item {
    guard let itemClass else {
      throw VaultError(.invalidData, "the class is neither internet nor generic")
    }
    guard !isDefault || itemClass == .internetPassword else {
      throw VaultError(.invalidData, "default: not an attribute of this class")
    }
    let now = Timestamp.now()
    let key =
      switch itemClass {
      case .internetPassword: Item.Key()
      case .genericPassword: Item.Key(service: "", account: "")
      }
    // A time in the future would let a secret outlive its policy.
    let modified = min(time(.modified) ?? time(.created) ?? now, now)
    var item = Item(
      id: .unset, key: key, created: min(time(.created) ?? modified, now), modified: modified)
    item.secretChanged = min(time(.secretChanged) ?? modified, now)
    for (attribute, value) in values where !Self.times.contains(attribute) {
      guard attribute.isOf(itemClass) else {
        throw VaultError(.invalidData, "\(attribute.name): not an attribute of this class")
      }
      item[attribute] = value
    }
    // A store keeps an item without a secret as one whose password is empty.
    guard item.secret != nil || item.isNegative else {
      throw VaultError(.invalidData, "no password")
    }
    return item
  }

  private static let times: Set<Attribute> = [.id, .created, .modified, .secretChanged]

  private func time(_ attribute: Attribute) -> Timestamp? {
    if case .time(let time) = values[attribute] { time } else { nil }
  }
}

extension FourCharacterCode {
  /// Reads the text of ``description``, also that of a number that is not four characters.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for anything else.
  fileprivate init(exported text: String) throws(VaultError) {
    if text.utf8.count == 10, text.hasPrefix("0x"),
      let number = UInt32(text.dropFirst(2), radix: 16)
    {
      self.init(rawValue: number)
    } else {
      try self.init(text)
    }
  }
}
