/// The realms of the challenges that a password answers.
enum GitChallenge {
  /// The realms of Basic and Digest challenges, in their order.
  ///
  /// One header can hold several challenges; a realm belongs to the scheme before it.
  ///
  /// - Source: RFC 9110 §11.6.1; quoted-string §5.6.4.
  static func realms(_ headers: [String]) -> [String] {
    headers.flatMap { realms(of: Array($0.utf8)) }
  }

  private static func realms(of header: [UInt8]) -> [String] {
    var realms: [String] = []
    var index = 0
    var takesPassword = false
    while index < header.count {
      let word = token(header, &index)
      guard !word.isEmpty else {
        // A comma, a blank, or bytes that no token has: whatever is quoted is passed as one.
        if header[index] == UInt8(ascii: "\"") { _ = quoted(header, &index) } else { index += 1 }
        continue
      }
      var next = index
      skipBlanks(header, &next)
      guard next < header.count, header[next] == UInt8(ascii: "=") else {
        // A word without a value is a scheme.
        takesPassword = word == "basic" || word == "digest"
        continue
      }
      index = next + 1
      skipBlanks(header, &index)
      let isQuoted = index < header.count && header[index] == UInt8(ascii: "\"")
      let value = isQuoted ? quoted(header, &index) : rawToken(header, &index)
      if takesPassword, word == "realm", let text = String(validating: value, as: UTF8.self) {
        realms.append(text)
      }
    }
    return realms
  }

  private static func token(_ header: [UInt8], _ index: inout Int) -> String {
    String(decoding: rawToken(header, &index), as: UTF8.self).lowercased()
  }

  private static func rawToken(_ header: [UInt8], _ index: inout Int) -> [UInt8] {
    let start = index
    while index < header.count, isTokenCharacter(header[index]) { index += 1 }
    return Array(header[start..<index])
  }

  /// The text between quotes, each `\x` standing for `x`.
  private static func quoted(_ header: [UInt8], _ index: inout Int) -> [UInt8] {
    var text: [UInt8] = []
    index += 1
    while index < header.count, header[index] != UInt8(ascii: "\"") {
      if header[index] == UInt8(ascii: "\\"), index + 1 < header.count { index += 1 }
      text.append(header[index])
      index += 1
    }
    if index < header.count { index += 1 }
    return text
  }

  private static func skipBlanks(_ header: [UInt8], _ index: inout Int) {
    while index < header.count,
      header[index] == UInt8(ascii: " ") || header[index] == UInt8(ascii: "\t")
    { index += 1 }
  }

  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
