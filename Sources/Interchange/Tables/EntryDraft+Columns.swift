import SecureMemory
import VaultModel

// Fields of a table, by the meaning of their columns.
extension EntryDraft {
  /// Reads one field, by the meaning of its column.
  ///
  /// - Throws: As ``read(_:as:named:)``.
  mutating func read(
    _ bytes: RawSpan, _ meaning: CSVTable.Meaning, _ column: String
  ) throws(VaultError) {
    switch meaning {
    case .field(let field): try read(bytes, as: field, named: column)
    case .markedAddress where Bytes.equal(bytes, "http://sn"): kind = "secure note"
    case .markedAddress where Bytes.equal(bytes, "http://group"): exclusion = .folder
    case .markedAddress: try addAddress(bytes)
    case .cardNumber:
      addSecret(column, bytes)
      if kind.isEmpty { kind = "card" }
    case .kind: setKind(try Bytes.text(bytes, "type"))
    case .addresses: try addAddresses(joinedByCommas: bytes)
    case .addressList: try addAddresses(inJSON: bytes, column)
    case .fields: try addFields(inLines: bytes)
    case .fieldList: try addFields(inJSON: bytes, column)
    case .formFields: try addFormField(bytes, column)
    case .archived:
      switch try Bytes.text(bytes, "archived").lowercasedASCII {
      case "true", "1": exclusion = .archived
      case "false", "0": break
      default: try addCustom(column, bytes)
      }
    case .group:
      let groups = try Bytes.text(bytes, "group").split(separator: "/")
      // Every entry is below the root, and the bin is right below it.
      if groups.dropFirst().first.map({ Self.recycleBins.contains(String($0)) }) == true {
        exclusion = .trashed
      }
      addCustom("folder", groups.dropFirst().joined(separator: "/"))
    case .mark:
      let saysNothing = ["0", "false", "False", "FALSE"].contains { Bytes.equal(bytes, $0) }
      if !saysNothing { try addCustom(column, bytes) }
    case .groupID, .groupName, .groupParent, .otherAccount, .pairs, .formOrigin, .other:
      try addCustom(column, bytes)
    }
  }

  /// Sets the kind by the program's word for it.
  private mutating func setKind(_ word: String) {
    switch word.lowercasedASCII {
    case "login", "password", "entry", "": kind = ""
    case "note", "securenote": kind = "secure note"
    case "creditcard", "credit_card", "card": kind = "card"
    case "folder", "group": exclusion = .folder
    default: kind = word
    }
  }

  /// Splits at commas before what looks like another address: a comma can also be part of one.
  private mutating func addAddresses(joinedByCommas bytes: RawSpan) throws(VaultError) {
    var start = 0
    for index in 0..<bytes.byteCount where Bytes.at(bytes, index) == UInt8(ascii: ",") {
      var end = index + 1
      while end < bytes.byteCount, Bytes.at(bytes, end) != UInt8(ascii: ",") { end += 1 }
      guard Self.isAddress(bytes.extracting((index + 1)..<end)) else { continue }
      try addAddress(bytes.extracting(start..<index))
      start = index + 1
    }
    try addAddress(bytes.extracting(start..<bytes.byteCount))
  }

  private static func isAddress(_ bytes: RawSpan) -> Bool {
    if AddressParts(bytes).scheme != nil { return true }
    var hasDot = false
    for index in 0..<bytes.byteCount {
      let byte = Bytes.at(bytes, index)
      if byte == UInt8(ascii: ".") { hasDot = true }
      guard byte.isLetter || byte.isDigit || ".-:/".utf8.contains(byte) else { return false }
    }
    return hasDot
  }

  /// Reads Bitwarden's fields: a line that begins none belongs to the one before.
  private mutating func addFields(inLines bytes: RawSpan) throws(VaultError) {
    var fields: [(name: String, value: Range<Int>)] = []
    var start = 0
    while start < bytes.byteCount {
      let rest = bytes.extracting(start..<bytes.byteCount)
      let end = start + (Bytes.firstIndex(of: UInt8(ascii: "\n"), in: rest) ?? rest.byteCount)
      let colon = (start..<end).first {
        $0 + 1 < end && Bytes.at(bytes, $0) == UInt8(ascii: ":")
          && Bytes.at(bytes, $0 + 1) == UInt8(ascii: " ")
      }
      if let colon {
        fields.append((try Bytes.text(bytes.extracting(start..<colon), "field"), colon + 2..<end))
      } else if let last = fields.popLast() {
        fields.append((last.name, last.value.lowerBound..<end))
      } else {
        fields.append(("field", start..<end))
      }
      start = end + 1
    }
    for field in fields { try addCustom(field.name, bytes.extracting(field.value)) }
  }

  /// The names that KeePassXC gives its recycle bin, by the language that it is made in; the table
  /// has no other mark of it.
  private static let recycleBins: Set<String> = [
    "Cestino", "Corbeille", "Coș de gunoi", "Keranjang Sampah", "Kosh Hedhurinash", "Kosz", "Koš",
    "Koš za smeće", "Kuka", "Kôš", "Lixeira", "Papelera", "Paperera", "Papierkorb", "Papirkurv",
    "Papperskorg", "Prullenbak", "Prügikast", "Reciclagem", "Recycle Bin", "Roskakori",
    "Çöp kutusu", "Šiukšlinė", "Κάδος Ανακύκλωσης", "Корзина", "Корпа за отпатке", "Кошче",
    "Смітник", "סל־מחזור", "سلة المهملات", "ප්‍රතිචක්‍රීකරණ බඳුන", "ถังขยะ", "အမှိုက်ပုံး",
    "ធុងសំរាម", "ゴミ箱", "回收桶", "回收站", "휴지통",
  ]
}
