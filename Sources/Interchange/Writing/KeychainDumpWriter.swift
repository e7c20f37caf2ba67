import SecureMemory
import VaultModel

/// Writes items as macOS's `security dump-keychain -d` shows them.
struct KeychainDumpWriter: PasswordWriter {
  private let sink: ByteSink

  init(_ sink: ByteSink) {
    self.sink = sink
  }

  func write(
    _ item: Item, password: Secret, isDefault: Bool
  ) throws(VaultError) -> WritingResult {
    let isInternet = item.key.itemClass == .internetPassword
    try sink.write("keychain: \"vaultctl\"\nversion: 512\n")
    try sink.write("class: \"\(isInternet ? "inet" : "genp")\"\nattributes:\n")
    try write(blob: "0x00000007 ", item.label)
    try write(blob: "0x00000008 ", "")
    var losses = item.losses(
      carrying: [
        .label, .comment, .kind, .creator, .type, .isInvisible, .generic, .created,
        .modified, .protocol, .port, .realm, .path, .authenticationMethod,
      ], isDefault: isDefault)
    losses.remove(.times)
    if item.secretChanged != item.modified { losses.insert(.attribute(.secretChanged)) }
    if [item.created, item.modified].contains(where: { $0.milliseconds % 1000 != 0 }) {
      losses.insert(.fractions)
    }
    try write(blob: "\"acct\"", item.account)
    if isInternet {
      if try !write("atyp", type: "blob", code: item.authenticationMethod.fourCharacterCode) {
        losses.insert(.attribute(.authenticationMethod))
      }
    }
    try write("cdat", item.created)
    _ = try write("crtr", type: "uint32", code: item.creator)
    try write(blob: "\"desc\"", item.kind)
    if !isInternet { try write(blob: "\"gena\"", bytes: item.generic) }
    try write(blob: "\"icmt\"", item.comment)
    try write("invi", type: "sint32", number: item.isInvisible ? 1 : nil)
    try write("mdat", item.modified)
    try write("nega", type: "sint32", number: nil)
    if isInternet {
      try write(blob: "\"path\"", item.path)
      try write("port", type: "uint32", number: UInt32(item.port))
      if try !write("ptcl", type: "uint32", code: item.protocol.fourCharacterCode) {
        losses.insert(.attribute(.protocol))
      }
      try write(blob: "\"sdmn\"", item.realm)
      try write(blob: "\"srvr\"", item.server.name)
    } else {
      try write(blob: "\"svce\"", item.key.service)
    }
    _ = try write("type", type: "uint32", code: item.type)
    try sink.write("data:\n")
    try write(.secret(password))
    try sink.write("\n")
    return .written(losses)
  }

  func end() throws(VaultError) { try sink.flush() }

  private func write(blob name: String, _ text: String) throws(VaultError) {
    try sink.write("    \(name)<blob>=")
    if text.isEmpty { try sink.write("<NULL>") } else { try write(.text(text)) }
    try sink.write("\n")
  }

  private func write(blob name: String, bytes: [UInt8]) throws(VaultError) {
    try sink.write("    \(name)<blob>=")
    if bytes.isEmpty {
      try sink.write("<NULL>")
    } else {
      try write(.secret(Secret(copying: bytes.span)))
    }
    try sink.write("\n")
  }

  private func write(_ name: String, _ time: Timestamp) throws(VaultError) {
    // 2026-01-31T23:59:59Z, with a NUL at its end.
    let digits = time.rfc3339.utf8.prefix(19).filter(\.isDigit)
    let text = String(decoding: digits, as: UTF8.self) + "Z\0"
    try sink.write("    \"\(name)\"<timedate>=")
    try write(.text(text))
    try sink.write("\n")
  }

  private func write(
    _ name: String, type: String, number: UInt32?
  ) throws(VaultError) {
    let text = number.map { "0x" + String(hexadecimal: $0) }
    try sink.write("    \"\(name)\"<\(type)>=\(text ?? "<NULL>")\n")
  }

  /// Writes a code, and returns false for what has none.
  private func write(
    _ name: String, type: String, code: UInt32?
  ) throws(VaultError) -> Bool {
    let text = FourCharacterCode(rawValue: code ?? 0).description
    let shown =
      switch text.utf8.count {
      case 0: "<NULL>"
      case 4: "\"\(text)\""
      default: text
      }
    try sink.write("    \"\(name)\"<\(type)>=\(shown)\n")
    return code != nil
  }

  /// Writes a value in quotes if it is printable ASCII, else in hexadecimal digits with the text
  /// behind them.
  private func write(_ value: Field) throws(VaultError) {
    let isPlain = !value.contains {
      $0 < 0x20 || $0 >= 0x7F || $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "\"")
    }
    if !isPlain {
      try sink.write("0x")
      try value.withBytes { (bytes) throws(VaultError) in
        for index in 0..<bytes.byteCount {
          let byte = Bytes.at(bytes, index)
          for digit in [byte >> 4, byte & 15] {
            // Computed: a table would be read at places that depend on the secret.
            try sink.write(
              digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
          }
        }
      }
      try sink.write("  ")
    }
    try sink.write(UInt8(ascii: "\""))
    try value.withBytes { (bytes) throws(VaultError) in
      for index in 0..<bytes.byteCount {
        let byte = Bytes.at(bytes, index)
        if byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "\\") {
          try sink.write(byte)
        } else {
          try sink.write(UInt8(ascii: "\\"))
          for shift in [6, 3, 0] { try sink.write(UInt8(ascii: "0") + (byte >> UInt8(shift)) & 7) }
        }
      }
    }
    try sink.write(UInt8(ascii: "\""))
  }
}
