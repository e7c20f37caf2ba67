import SecureMemory
import VaultModel

/// Writes netrc: a line for each server's entry, never `default`.
///
/// Entries are for a host, whatever the protocol and port. A token is only quoted if it must be,
/// and then in the way that curl and Python read.
struct NetrcWriter: PasswordWriter {
  private let sink: ByteSink

  init(_ sink: ByteSink) {
    self.sink = sink
  }

  func write(
    _ item: Item, password: Secret, isDefault: Bool
  ) throws(VaultError) -> WritingResult {
    guard item.key.itemClass == .internetPassword, !item.server.isUnset else {
      return .leftOut(.noServer)
    }
    guard password.withRawBytes({ Bytes.areUTF8($0) }) else { return .leftOut(.secretNotText) }
    // curl has escapes for line feeds; Python's reader takes `\n` for another password.
    for field in [Field.secret(password), .text(item.account)]
    where field.contains(where: { [0, 10, 13].contains($0) }) {
      return .leftOut(.lineBreak)
    }
    var losses = item.losses(carrying: [], isDefault: isDefault)
    if item.protocol == .unset { losses.insert(.attribute(.protocol)) }
    try sink.write("machine \(item.server.name)")
    if !item.account.isEmpty {
      try sink.write(" login ")
      if try write(token: .text(item.account)) { losses.insert(.quoting) }
    }
    try sink.write(" password ")
    if try write(token: .secret(password)) { losses.insert(.quoting) }
    try sink.write("\n")
    return .written(losses)
  }

  func end() throws(VaultError) { try sink.flush() }

  /// Writes a token and returns whether it needs quotation marks.
  ///
  /// All programs read plain tokens; curl and Python's `netrc` also quotes, `\"` and `\\`.
  private func write(token: Field) throws(VaultError) -> Bool {
    let isEmpty = !token.contains { _ in true }
    let isQuoted =
      isEmpty
      || token.contains { byte in
        byte <= 0x20 || byte == 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
          || byte == UInt8(ascii: "#")
      }
    let quote = UInt8(ascii: "\"")
    if isQuoted { try sink.write(quote) }
    try token.withBytes { (bytes) throws(VaultError) in
      for index in 0..<bytes.byteCount {
        let byte = Bytes.at(bytes, index)
        if byte == quote || byte == UInt8(ascii: "\\") { try sink.write(UInt8(ascii: "\\")) }
        try sink.write(byte)
      }
    }
    if isQuoted { try sink.write(quote) }
    return isQuoted
  }
}

/// Writes the file of Git's `store` helper: a URL a line, with the secret in it.
struct GitCredentialsWriter: PasswordWriter {
  private let sink: ByteSink

  init(_ sink: ByteSink) {
    self.sink = sink
  }

  func write(
    _ item: Item, password: Secret, isDefault: Bool
  ) throws(VaultError) -> WritingResult {
    guard item.key.itemClass == .internetPassword, !item.server.isUnset else {
      return .leftOut(.noServer)
    }
    guard item.protocol != .unset else { return .leftOut(.noProtocol) }
    guard password.withRawBytes({ Bytes.areUTF8($0) }) else { return .leftOut(.secretNotText) }
    // Git refuses a line feed, a carriage return and NUL in all values.
    for field in [Field.secret(password), .text(item.account), .text(item.path)]
    where field.contains(where: { [0, 10, 13].contains($0) }) {
      return .leftOut(.lineBreak)
    }
    try sink.write("\(item.protocol)://\(PercentEncoding.encode(item.account)):")
    try Field.secret(password).withBytes { (bytes) throws(VaultError) in
      for index in 0..<bytes.byteCount {
        try PercentEncoding.encode(Bytes.at(bytes, index)) { (byte) throws(VaultError) in
          try sink.write(byte)
        }
      }
    }
    try sink.write("@\(item.authority)")
    var losses = item.losses(carrying: [.protocol, .port, .path], isDefault: isDefault)
    if !item.path.isEmpty {
      try sink.write("/\(PercentEncoding.encode(item.path, keeping: "/"))")
      // Git takes slashes at both ends off.
      if item.path.hasPrefix("/") || item.path.hasSuffix("/") { losses.insert(.attribute(.path)) }
    }
    try sink.write("\n")
    return .written(losses)
  }

  func end() throws(VaultError) { try sink.flush() }
}
