import SecureMemory
import VaultModel

/// The parts of a `pkcs11:` URI (RFC 7512 §2.3), of which the PIN is never in a text.
struct TokenURI {
  /// The URI without its PIN.
  private(set) var withoutPIN: String
  private(set) var pin: Secret?

  private static let scheme = "pkcs11:"
  private static let longest = 4096

  /// The attributes that name a token, a slot or an object.
  private static let ofPath: Set<String> = [
    "token", "manufacturer", "serial", "model", "library-manufacturer", "library-version",
    "library-description", "object", "type", "id", "slot-description", "slot-manufacturer",
    "slot-id",
  ]

  init(_ text: Secret) throws(VaultError) {
    guard text.count <= Self.longest, text.count >= Self.scheme.utf8.count,
      String(decoding: text.octets(0..<Self.scheme.utf8.count), as: UTF8.self) == Self.scheme
    else { throw KeyReference.invalid("not a URI of this scheme") }
    let end = (0..<text.count).first { text[$0] == UInt8(ascii: "?") } ?? text.count
    withoutPIN = Self.scheme
    var path: [String: String] = [:]
    for range in Self.split(text, Self.scheme.utf8.count..<end, at: UInt8(ascii: ";")) {
      let (name, value) = try Self.attribute(text, range)
      let written = try Self.text(text, value, alsoAllowed: "&")
      guard Self.ofPath.contains(name) || name.hasPrefix("x-") else {
        throw KeyReference.invalid("there is no attribute '\(name)'")
      }
      guard path.updateValue(written, forKey: name) == nil else {
        throw KeyReference.invalid("'\(name)' is there twice")
      }
      withoutPIN += (path.count == 1 ? "" : ";") + "\(name)=\(written)"
    }
    guard path["object"] != nil || path["id"] != nil else {
      throw KeyReference.invalid("neither 'object' nor 'id' names a key")
    }
    guard path["type", default: "private"] == "private" else {
      throw KeyReference.invalid("'type' is not private")
    }
    if end < text.count { try readQuery(text, (end + 1)..<text.count) }
  }

  private mutating func readQuery(_ text: Secret, _ whole: Range<Int>) throws(VaultError) {
    var seen: Set<String> = []
    for range in Self.split(text, whole, at: UInt8(ascii: "&")) {
      let (name, value) = try Self.attribute(text, range)
      guard seen.insert(name).inserted else {
        throw KeyReference.invalid("'\(name)' is there twice")
      }
      switch name {
      case "pin-value": pin = try Self.decoded(text, value)
      case "pin-source":
        throw KeyReference.invalid("'pin-source' names a file or a program; give the PIN itself")
      case "module-path":
        throw KeyReference.invalid("'module-path' loads a library; configure it in p11-kit")
      case _ where name == "module-name" || name.hasPrefix("x-"):
        let written = try Self.text(text, value, alsoAllowed: "/?|")
        withoutPIN += (withoutPIN.contains("?") ? "&" : "?") + "\(name)=\(written)"
      default: throw KeyReference.invalid("there is no attribute '\(name)'")
      }
    }
  }

  private static func split(_ text: Secret, _ range: Range<Int>, at byte: UInt8) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var start = range.lowerBound
    for index in range where text[index] == byte {
      parts.append(start..<index)
      start = index + 1
    }
    return parts + [start..<range.upperBound]
  }

  /// Returns the name of an attribute, and where its value is.
  private static func attribute(
    _ text: Secret, _ range: Range<Int>
  ) throws(VaultError) -> (name: String, value: Range<Int>) {
    guard let equals = range.first(where: { text[$0] == UInt8(ascii: "=") }),
      equals != range.lowerBound,
      (range.lowerBound..<equals).allSatisfy({ isOfName(text[$0]) })
    else { throw KeyReference.invalid("an attribute without a name") }
    let name = String(decoding: text.octets(range.lowerBound..<equals), as: UTF8.self)
    return (name, (equals + 1)..<range.upperBound)
  }

  /// Returns a value as it is written, if it is written right.
  private static func text(
    _ text: Secret, _ range: Range<Int>, alsoAllowed: String
  ) throws(VaultError) -> String {
    _ = try decoded(text, range, alsoAllowed: alsoAllowed)
    return String(decoding: text.octets(range), as: UTF8.self)
  }

  /// Returns the bytes that a value stands for.
  private static func decoded(
    _ text: Secret, _ range: Range<Int>, alsoAllowed: String = "/?|"
  ) throws(VaultError) -> Secret {
    var bytes = SecretBuffer()
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = text[index]
      if byte == UInt8(ascii: "%") {
        guard index + 2 < range.upperBound, let high = text[index + 1].hexadecimalValue,
          let low = text[index + 2].hexadecimalValue
        else { throw KeyReference.invalid("a percent sign without two digits") }
        bytes.append(high << 4 | low)
        index += 3
        continue
      }
      guard
        byte.isUnreserved || ":[]@!$'()*+,=".utf8.contains(byte)
          || alsoAllowed.utf8.contains(byte)
      else { throw KeyReference.invalid("a character that has to be percent-encoded") }
      bytes.append(byte)
      index += 1
    }
    return bytes.secret(0..<bytes.count)
  }

  private static func isOfName(_ byte: UInt8) -> Bool {
    byte.isLetter || byte.isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }
}
