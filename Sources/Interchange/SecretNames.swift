import SecureMemory
import VaultModel

// Whether a field is secret, by its name and its text.
extension EntryDraft {
  /// Returns whether a field's name says that its value is to be kept secret.
  package static func isSecret(_ name: String) -> Bool {
    let words = words(of: name)
    if words.contains(where: { secretWords.contains($0) || $0.hasSuffix("key") }) { return true }
    let joined = words.joined()
    return stems.contains(where: joined.contains)
      || words.contains { $0.hasSuffix("code") }
        && !codesOfPlaces.contains(where: joined.contains)
  }

  /// Returns whether a text has a key in it, whatever its name is.
  static func holdsKey(_ bytes: RawSpan) -> Bool {
    // Most texts have neither byte.
    holdsAddressOfKey(bytes)
      || Bytes.firstIndex(of: UInt8(ascii: "-"), in: bytes) != nil
        && (Bytes.contains(bytes, "PRIVATE KEY") || Bytes.contains(bytes, "PuTTY-User-Key-File"))
  }

  /// Returns whether a text has an address of a key of one-time passwords in it.
  private static func holdsAddressOfKey(_ bytes: RawSpan) -> Bool {
    let scheme = "otpauth".utf8.count
    var start = 0
    while let colon = Bytes.firstIndex(
      of: UInt8(ascii: ":"), in: bytes.extracting(start..<bytes.byteCount))
    {
      start += colon + 1
      let address = bytes.extracting(max(0, start - scheme - 1)..<bytes.byteCount)
      if Bytes.range(address, after: "otpauth://") != nil { return true }
    }
    return false
  }

  /// Words that say it; the digit of 2FA ends a word.
  private static let secretWords: Set<String> = [
    "api", "auth", "clave", "cvc", "cvn", "cvv", "fa", "iban", "jwt", "mfa", "otp", "otpauth",
    "pin", "puk", "pw", "sid", "sig", "ssn", "tan", "totp",
  ]
  /// Parts of words that say it, and names of several words, however those are parted.
  private static let stems = [
    "accountnumber", "answer", "antwort", "cardno", "cardnumber", "ccnum", "contrase", "creditcard",
    "geheim", "kennwort", "maiden", "memorableword", "mnemonic", "parola", "pass", "paymentcard",
    "phrase", "private", "pwd", "recovery", "secret", "securityq", "seed", "senha", "sessid",
    "session", "signature", "socialsecurity", "token", "wachtwoord",
  ]
  private static let codesOfPlaces = ["zip", "post", "country", "area"]

  /// Returns the words of a name in lower case, without the s of a plural: they end at other
  /// characters, at digits, and where an upper-case letter begins one, as in `APIKey2` and `PINs`.
  private static func words(of name: String) -> [String] {
    let bytes = Array(name.utf8)
    let s = UInt8(ascii: "s")
    var (words, word): ([String], [UInt8]) = ([], [])
    func isLower(_ index: Int) -> Bool { index < bytes.count && bytes[index].isLowercaseLetter }
    func endWord() {
      if word.count > 2, word.last == s, word[word.count - 2] != s { word.removeLast() }
      if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
      word = []
    }
    for (index, byte) in bytes.enumerated() {
      guard byte.isLetter || byte >= 0x80 else {
        endWord()
        continue
      }
      let begins =
        byte.isUppercaseLetter && index > 0
        && (isLower(index - 1) || isLower(index + 1) && isLower(index + 2))
      if begins { endWord() }
      word.append(byte.lowercasedASCII)
    }
    endWord()
    return words
  }
}
