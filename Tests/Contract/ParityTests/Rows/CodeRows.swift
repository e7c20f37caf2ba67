import CVault
import CredentialVault
import VaultModel

/// The tables of codes.
enum CodeRows {
  static let rows: [Row] = [
    Row(
      "code.protocols", .codes, "34 protocols have codes.",
      by: .any { try roundTrip($0, .protocol, Codes.protocols.map(\.word)) }, .swift(protocolCodes),
      vault: .same("34"), compatible: .same("34")),
    Row(
      "code.methods", .codes, "8 authentication types have codes.",
      by: .any { try roundTrip($0, .method, Codes.methods.map(\.word)) }, .swift(methodCodes),
      vault: .same("8"), compatible: .same("8")),
    Row(
      "code.order", .codes,
      "A protocol's number spells its code from the highest byte, a type's in memory order.",
      by: .swift { _ in
        let codes = [
          NetworkProtocol.https.fourCharacterCode, AuthenticationMethod.digest.fourCharacterCode,
        ]
        return codes.map { FourCharacterCode(rawValue: $0 ?? 0).description }.joined(separator: " ")
      }, .keychain(order),
      vault: .differs("Both from the highest byte.", "htps httd"),
      compatible: .same("htps httd"),
      why: "Swift reads no bytes of numbers.",
      except: [.native: "protocols and methods are text"]),
    Row(
      "code.none", .codes, "SMTPS, SFTP, WebDAV, Git have no code.",
      by: .any { try roundTrip($0, .protocol, ["smtps", "sftp", "git", "davs"]) },
      .keychain(withoutCode),
      vault: .differs("Each has its URL's scheme.", "4"),
      compatible: .differs(
        "Such items are found; the protocol is 0, or its name's letters.",
        "ann bob, “”, “git ”"),
      why: "A credential belongs to a protocol."),
    Row(
      "code.ours", .codes, "Negotiate, bearer tokens, certificates have no type.",
      by: .any {
        try roundTrip($0, .method, ["negotiate", "bearer", "client-certificate", "server-trust"])
      }, .keychain(ourCodes),
      vault: .differs("They have names, and codes of ours.", "4"),
      compatible: .differs(
        "Codes of ours; decisions about servers are not found.", "nego bear cert"),
      why: "HTTP has them."),
    Row(
      "code.unknown", .codes, "An unknown type is kept or 0.",
      by: .any { try roundTrip($0, .method, ["hoba", "scram-sha-256"]) }, .keychain(unknownMethod),
      vault: .differs("It is kept.", "2"), compatible: .same("sesa"),
      why: "New methods need no new library."),
    .foreign(
      "code.accessible", .codes, "Seven codes say when a device decrypts.",
      because: "A key unlocks a vault."),
  ]

  /// Returns how many words of an attribute come back as they were stored.
  static func roundTrip(
    _ driver: any Driver, _ attribute: Attribute, _ words: [String]
  ) throws -> String {
    let right = try words.filter { word in
      let item = try driver.add(.ann.with(attribute, word))
      return try driver.read(attribute, of: item) == word
        && driver.findAll([attribute: word]).count == 1
    }
    return "\(right.count)"
  }

  static func protocolCodes(_ driver: SwiftDriver) -> String {
    let right = Codes.protocols.filter { row in
      let named = NetworkProtocol(fourCharacterCode: row.code)
      return named?.rawValue == row.word && named?.fourCharacterCode == row.code
    }
    return "\(right.count)"
  }

  static func methodCodes(_ driver: SwiftDriver) -> String {
    let right = Codes.methods.filter { row in
      let code = UInt32(bigEndian: row.code)
      let named = AuthenticationMethod(fourCharacterCode: code)
      return named?.rawValue == row.word && named?.fourCharacterCode == code
    }
    return "\(right.count)"
  }

  static func order(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann.with(.method, "digest"))
    let values = try driver.copy([Attribute.protocol.tag, Attribute.method.tag], of: item)
    return FourCharacterCode(rawValue: Attribute.number(values[0])).description + " "
      + String(decoding: values[1], as: UTF8.self)
  }

  static func withoutCode(_ driver: KeychainDriver) throws -> String {
    try addBySwift(.ann.with(.protocol, "smtps"), driver)
    try addBySwift(.bob.with(.protocol, "git"), driver)
    let items = try ["ann", "bob"].map { try driver.find([.account: $0]) }
    let bytes = try driver.copy([Attribute.protocol.tag], of: items[1])[0]
    return seen(
      try driver.accounts(items), "“\(try driver.read(.protocol, of: items[0]))”",
      "“\(FourCharacterCode(rawValue: Attribute.number(bytes)))”")
  }

  static func ourCodes(_ driver: KeychainDriver) throws -> String {
    let trust = "server-trust"
    try addBySwift(.ann.with(.method, trust).with(.account, trust), driver)
    guard try driver.findAll([.account: trust]).isEmpty else { return trust }
    let words = ["negotiate", "bearer", "client-certificate"]
    return try words.map { word in
      try addBySwift(.ann.with(.method, word).with(.account, word), driver)
      let found = try driver.find([.account: word])
      return String(decoding: try driver.copy([Attribute.method.tag], of: found)[0], as: UTF8.self)
    }.joined(separator: " ")
  }

  static func unknownMethod(_ driver: KeychainDriver) throws -> String {
    let item = try driver.add(.ann)
    try driver.modify(item, AttributeList([(Attribute.method.tag, Array("sesa".utf8))]))
    return String(decoding: try driver.copy([Attribute.method.tag], of: item)[0], as: UTF8.self)
  }

  private static func addBySwift(_ attributes: Attributes, _ driver: KeychainDriver) throws {
    try driver.place.vault.add(
      Item(attributes, secret: "one"), persistence: driver.store.persistence)
  }
}
