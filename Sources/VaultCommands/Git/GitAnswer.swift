import SecureMemory
import VaultModel
import VaultTerminal

/// The answer that Git reads from a helper.
enum GitAnswer {
  /// Writes the user name, the password or token, and the attributes that belong to it.
  ///
  /// `hasDerived` says whether opening the vault again would derive a key again.
  ///
  /// An item that the protocol cannot carry is treated as if it did not exist: a line feed in a
  /// value would be another line.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` for values that a terminal would obey, if the output
  ///   is one.
  static func write(
    _ item: Item, to request: GitRequest, hasDerived: Bool, _ output: Output
  ) throws(VaultError) {
    guard let secret = item.secret, isLine(secret), isLine(item.account) else { return }
    try checkPrintable([secret, item.refreshToken].compactMap { $0 }, item.account, output)
    let isToken = item.isBearerToken
    // A capability comes before what needs it.
    if isToken { try output.write("capability[]=authtype\n") }
    if request.takesState { try output.write("capability[]=state\n") }
    if isToken {
      if !item.account.isEmpty { try output.write("username=\(item.account)\n") }
      try output.write("authtype=Bearer\ncredential=")
    } else {
      try output.write("username=\(item.account)\npassword=")
    }
    try output.write(secret)
    try output.write("\n")
    if let end = expiry(of: item) {
      try output.write("password_expiry_utc=\(end.milliseconds / 1000)\n")
    }
    if let token = refreshToken(of: item) { try write(refreshToken: token, output) }
    if request.takesState {
      try output.write("state[]=\(request.state(of: item, hasDerived: hasDerived))\n")
    }
  }

  /// Writes the user of an item that has expired and the refresh token, but no password: Git asks
  /// its next helper, and gives it both.
  ///
  /// - Throws: As ``write(_:to:hasDerived:_:)``.
  static func write(
    refreshToken token: Secret, of item: Item, to request: GitRequest, _ output: Output
  ) throws(VaultError) {
    guard isLine(token), isLine(item.account) else { return }
    try checkPrintable([token], item.account, output)
    if request.takesState { try output.write("capability[]=state\n") }
    if !item.isBearerToken || !item.account.isEmpty {
      try output.write("username=\(item.account)\n")
    }
    try write(refreshToken: token, output)
    if request.takesState {
      // Without a digest: what Git will store is new.
      try output.write("state[]=\(request.state(of: item, hasDerived: false))\n")
    }
  }

  private static func write(refreshToken token: Secret, _ output: Output) throws(VaultError) {
    try output.write("oauth_refresh_token=")
    try output.write(token)
    try output.write("\n")
  }

  /// Returns the refresh token, if a line can hold it.
  static func refreshToken(of item: Item) -> Secret? {
    item.refreshToken.flatMap { isLine($0) ? $0 : nil }
  }

  /// Returns the time at which the answer expires for Git, in whole seconds: the item's own, or the
  /// policy's if earlier.
  static func expiry(of item: Item) -> Timestamp? {
    [item.expires, item.keptUntil].compactMap { $0 }.min()
      .map { Timestamp(seconds: $0.milliseconds / 1000) }
  }

  /// Checks the output on a terminal only: Git reads from a pipe, and a terminal means that a
  /// person is trying the helper.
  private static func checkPrintable(
    _ secrets: [Secret], _ account: String, _ output: Output
  ) throws(VaultError) {
    guard output.isTerminal else { return }
    guard secrets.allSatisfy(SecretText.isLine),
      !account.unicodeScalars.contains(where: \.isUnprintable)
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

  /// Returns whether Git refuses a byte or, as with carriage returns, cuts it off.
  private static func isRefused(_ byte: UInt8) -> Bool {
    byte == 0 || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }
}
