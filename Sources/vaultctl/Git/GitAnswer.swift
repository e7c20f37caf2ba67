import SecureMemory
import VaultModel
import VaultTerminal

/// What Git reads of a helper.
enum GitAnswer {
  /// Writes user name, password, and what belongs to the password.
  ///
  /// An item that the protocol cannot carry answers as if it were not there: a line feed in a value
  /// would be another line.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` for values that a terminal would obey, if the output is one.
  static func write(_ item: InternetPassword, _ output: Output) throws(VaultError) {
    guard let secret = item.secret, isLine(secret), isLine(item.account) else { return }
    try checkPrintable(item, output)
    try output.write("username=\(item.account)\npassword=")
    try output.write(secret)
    try output.write("\n")
    if let end = expiry(of: item) {
      try output.write("password_expiry_utc=\(end.milliseconds / 1000)\n")
    }
    if let token = item.refreshToken, isLine(token) {
      try output.write("oauth_refresh_token=")
      try output.write(token)
      try output.write("\n")
    }
  }

  /// Until when Git is told that the item answers, in whole seconds: its own time, or the policy's if earlier.
  static func expiry(of item: InternetPassword) -> Timestamp? {
    [item.expires, item.keptUntil].compactMap { $0 }.min()
      .map { Timestamp(seconds: $0.milliseconds / 1000) }
  }

  /// Git reads from a pipe: a terminal has a person behind it, who tries the helper out.
  private static func checkPrintable(
    _ item: InternetPassword, _ output: Output
  ) throws(VaultError) {
    guard output.isTerminal else { return }
    let secrets = [item.secret, item.refreshToken].compactMap { $0 }
    guard secrets.allSatisfy(SecretText.isLine),
      !item.account.unicodeScalars.contains(where: Printable.isControl)
    else {
      throw VaultError(
        .invalidData,
        "git: the user, password or token is not text, and standard output is a terminal")
    }
  }

  private static func isLine(_ text: String) -> Bool {
    text.utf8.allSatisfy { !isRefused($0) }
  }

  private static func isLine(_ secret: Secret) -> Bool {
    secret.withRawBytes { bytes in
      // The buffer is valid inside the closure.
      unsafe bytes.withUnsafeBytes { buffer in unsafe buffer.allSatisfy { !isRefused($0) } }
    }
  }

  /// Git refuses or cuts off carriage returns.
  private static func isRefused(_ byte: UInt8) -> Bool {
    byte == 0 || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }
}
