import SecureMemory

/// Lines of a secret.
enum SecretLines {
  /// Returns the lines as one secret, with a line feed between them.
  static func join(_ lines: [Secret]) -> Secret {
    if lines.count == 1 { return lines[0] }
    var joined = SecretBuffer()
    for (index, line) in lines.enumerated() {
      if index > 0 { joined.append(UInt8(ascii: "\n")) }
      line.withRawBytes { joined.append($0) }
    }
    return joined.secret(0..<joined.count)
  }
}
