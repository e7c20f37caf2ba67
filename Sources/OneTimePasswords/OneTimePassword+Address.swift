import SecureMemory
import VaultModel

extension OneTimePassword {
  /// Reads what follows `otpauth:`, such as `//totp/Example:ann?secret=JBSWY3DP&issuer=Example`.
  ///
  /// The label and the issuer are not looked at.
  static func read(address: RawSpan) throws(VaultError) -> Self {
    let question = Bytes.firstIndex(of: UInt8(ascii: "?"), in: address) ?? address.byteCount
    let place = Bytes.textOrNil(address.extracting(0..<question))?.lowercasedASCII ?? ""
    guard !place.hasPrefix("//hotp/") else {
      throw VaultError(.unsupported, "passwords that are counted (HOTP) are not supported")
    }
    guard place.hasPrefix("//totp/") || place == "//totp" else {
      throw VaultError(.invalidData, "no address of a time-based one-time password")
    }
    return try read(
      parameters: address.extracting(min(question + 1, address.byteCount)..<address.byteCount))
  }

  /// Reads `secret=JBSWY3DP&digits=6&period=30&algorithm=SHA1`, in any order.
  static func read(parameters: RawSpan) throws(VaultError) -> Self {
    var (key, algorithm, digits, period): (Secret?, String, String, String) = (nil, "", "", "")
    var rest = parameters
    while !rest.isEmpty {
      let end = Bytes.firstIndex(of: UInt8(ascii: "&"), in: rest) ?? rest.byteCount
      let parameter = rest.extracting(0..<end)
      rest = rest.extracting(min(end + 1, rest.byteCount)..<rest.byteCount)
      guard let equals = Bytes.firstIndex(of: UInt8(ascii: "="), in: parameter) else { continue }
      let value = parameter.extracting(equals + 1..<parameter.byteCount)
      switch Bytes.textOrNil(parameter.extracting(0..<equals))?.lowercasedASCII {
      case "secret", "key":
        key = try Bytes.withDecoded(value, "secret") { joined($0) }
      case "algorithm": algorithm = try Bytes.decodedText(value, "algorithm").lowercasedASCII
      case "digits", "size": digits = try Bytes.decodedText(value, "digits")
      case "period", "step": period = try Bytes.decodedText(value, "period")
      // KeePassXC says so of Steam's keys.
      case "encoder": throw steam
      default: continue
      }
    }
    guard let key else { throw VaultError(.invalidData, "the address has no secret") }
    var password = Self(key: key)
    if !algorithm.isEmpty {
      guard let known = Algorithm(rawValue: algorithm.replacing("-", with: "")) else {
        throw VaultError(.unsupported, "only SHA1, SHA256 and SHA512 are supported")
      }
      password.algorithm = known
    }
    if let digits = try number(digits, in: 6...8, "digits") { password.digits = digits }
    if let period = try number(period, in: 1...3600, "period") { password.period = period }
    return password
  }

  private static func number(
    _ text: String, in range: ClosedRange<Int>, _ name: String
  ) throws(VaultError) -> Int? {
    guard !text.isEmpty else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw VaultError(
        .unsupported, "\(name): not a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}
