package import SecureMemory
package import VaultModel

/// A time-based one-time password (RFC 6238), as its key is given by a server.
package struct OneTimePassword: Sendable {
  package enum Algorithm: String, CaseIterable, Sendable {
    case sha1, sha256, sha512
  }

  /// The key in base 32.
  let key: Secret
  var algorithm = Algorithm.sha1
  /// The length of a password: 6, 7 or 8.
  var digits = 6
  /// The time for which a password is good, in seconds.
  package internal(set) var period = 30

  /// Reads an `otpauth://totp/` address, a bare key in base 32, or `key=…&step=…&size=…`, which a
  /// plug-in of KeePass writes.
  ///
  /// - Parameter text: In any case of letters, with blanks or without. Source: the "Key Uri Format"
  ///   of Google Authenticator, which other programs follow.
  /// - Throws: ``VaultError/Code/invalidData`` for what is neither; ``VaultError/Code/unsupported``
  ///   for passwords that are counted, for Steam's, and for another algorithm, length or time.
  package init(reading text: Secret) throws(VaultError) {
    self = try text.withRawBytes { (bytes) throws(VaultError) in
      try Self.read(bytes.extracting(Bytes.trimmed(bytes)))
    }
    // An empty, a wrong and a right key must not differ only when a password is needed.
    _ = try password(at: Timestamp(milliseconds: 0))
  }

  init(key: Secret) { self.key = key }

  private static func read(_ bytes: RawSpan) throws(VaultError) -> Self {
    guard let colon = Bytes.firstIndex(of: UInt8(ascii: ":"), in: bytes) else {
      let isBare = Bytes.range(bytes, after: "key=") == nil
      return isBare ? Self(key: joined(bytes)) : try read(parameters: bytes)
    }
    switch Bytes.textOrNil(bytes.extracting(0..<colon))?.lowercasedASCII {
    case "otpauth": return try read(address: bytes.extracting(colon + 1..<bytes.byteCount))
    case "steam": throw steam
    default: throw VaultError(.invalidData, "neither an otpauth address nor a key in base 32")
    }
  }

  /// Returns a key without what people put between its letters, and without padding.
  static func joined(_ bytes: RawSpan) -> Secret {
    var letters = SecretBuffer(capacity: bytes.byteCount)
    for index in 0..<bytes.byteCount {
      let byte = Bytes.at(bytes, index)
      let isBetween = Bytes.isBlank(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "=")
      if !isBetween { letters.append(byte) }
    }
    return letters.secret(0..<letters.count)
  }

  static let steam = VaultError(
    .unsupported, "Steam's passwords have an alphabet of their own, which is not supported")

  /// Returns the password that is good at a time.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if the key is not base 32.
  package func password(at time: Timestamp) throws(VaultError) -> Secret {
    try Oath.password(self, at: Self.seconds(time))
  }

  /// Returns the number of seconds for which the password of a time is still good, at least 1.
  package func remaining(at time: Timestamp) -> Int {
    period - Int(Self.seconds(time) % Int64(period))
  }

  private static func seconds(_ time: Timestamp) -> Int64 { max(0, time.milliseconds / 1000) }
}
