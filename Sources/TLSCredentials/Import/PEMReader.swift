import CVaultLibcrypto
import SecureMemory
import VaultModel

/// A block of a PEM file (RFC 7468).
struct PEMBlock {
  /// The label, such as `CERTIFICATE`.
  let label: String
  /// The fields before the content, as files of OpenSSL 0.9 have them (RFC 1421 §4.6).
  let fields: [String: String]
  let content: Secret

  /// Whether it has a certificate.
  var isCertificate: Bool { label == "CERTIFICATE" || label == "X509 CERTIFICATE" }

  /// Reads the blocks of a file; text between them is skipped.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if one is malformed or has no end.
  static func read(_ file: Secret) throws(VaultError) -> [PEMBlock] {
    var blocks: [PEMBlock] = []
    var lines = SecretLines(file)
    while let line = lines.next() {
      guard let label = Self.label(file, line, "BEGIN ") else { continue }
      var fields: [String: String] = [:]
      var text = SecretBuffer()
      var isClosed = false
      while !isClosed, let line = lines.next() {
        if let end = Self.label(file, line, "END ") {
          guard end == label else { throw malformed }
          isClosed = true
        } else if let field = Self.field(file, line) {
          fields[field.name] = field.value
        } else {
          for index in line where file[index] > 0x20 { text.append(file[index]) }
        }
      }
      guard isClosed, !text.isEmpty,
        let content = Base64.bytes(of: text.secret(0..<text.count), isCanonical: false)
      else { throw malformed }
      blocks.append(PEMBlock(label: label, fields: fields, content: content))
    }
    return blocks
  }

  private static func label(_ file: Secret, _ line: Range<Int>, _ word: String) -> String? {
    let dashes = "-----"
    guard line.count <= 80, line.count > 2 * dashes.count + word.count,
      file[line.lowerBound] == UInt8(ascii: "-"),
      let text = String(validating: file.octets(line), as: UTF8.self),
      text.hasPrefix(dashes + word), text.hasSuffix(dashes)
    else { return nil }
    return String(text.dropFirst((dashes + word).count).dropLast(dashes.count))
  }

  /// Returns a field of the header; no line of Base64 has a colon.
  private static func field(
    _ file: Secret, _ line: Range<Int>
  ) -> (name: String, value: String)? {
    guard line.count <= 200, let colon = line.first(where: { file[$0] == UInt8(ascii: ":") })
    else { return nil }
    func text(_ range: Range<Int>) -> String {
      String(decoding: file.octets(range).filter { $0 > 0x20 }, as: UTF8.self)
    }
    return (text(line.lowerBound..<colon), text((colon + 1)..<line.upperBound))
  }

  static var malformed: VaultError { VaultError(.invalidData, "identity file: malformed PEM") }
}

/// The lines of a file, without the characters that end them.
private struct SecretLines {
  let file: Secret
  var position = 0

  init(_ file: Secret) { self.file = file }

  mutating func next() -> Range<Int>? {
    guard position < file.count else { return nil }
    let start = position
    while position < file.count, file[position] != UInt8(ascii: "\n") { position += 1 }
    var end = position
    position += 1
    while end > start, file[end - 1] <= 0x20 { end -= 1 }
    return start..<end
  }
}

/// The encryption of older PEM files (`DEK-Info`), one round of MD5 around a passphrase.
enum TraditionalEncryption {
  static func open(
    _ content: Secret, _ information: String, _ passphrase: Secret?
  ) throws(VaultError) -> Secret {
    let parts = information.split(separator: ",")
    guard parts.count == 2 else { throw PEMBlock.malformed }
    let cipher: Cipher
    switch parts[0] {
    case "AES-128-CBC": cipher = .aes128
    case "AES-192-CBC": cipher = .aes192
    case "AES-256-CBC": cipher = .aes256
    case "DES-EDE3-CBC": cipher = .tripleDES
    default:
      throw VaultError(
        .unsupportedAlgorithm, "key: the encryption named in DEK-Info is not supported")
    }
    guard let iv = [UInt8](hexadecimal: parts[1]), iv.count == cipher.blockCount
    else { throw PEMBlock.malformed }
    let key = try derive(passphrase ?? Secret(copying: RawSpan()), iv, count: cipher.keyCount)
    guard let opened = try cipher.decrypt(content, key: key, iv: iv), opened.isSequence
    else { throw VaultError(.authenticationFailed, "key: wrong passphrase") }
    return opened
  }

  /// Hashes of the one before, the passphrase and the first bytes of the vector, one after another.
  private static func derive(
    _ passphrase: Secret, _ iv: [UInt8], count: Int
  ) throws(VaultError) -> Secret {
    var input = SecretBuffer()
    var key = SecretBuffer()
    while key.count < count {
      passphrase.withRawBytes { input.append($0) }
      for byte in iv.prefix(8) { input.append(byte) }
      let whole = input.secret(0..<input.count)
      let hash = try unsafe Secret(count: 16) { memory throws(VaultError) in
        let target = unsafe memory.bindMemory(to: UInt8.self).baseAddress
        // MD5 has 16 bytes; without it, as in FIPS mode, the call fails.
        let status = unsafe whole.withOctets {
          unsafe EVP_Digest($0.baseAddress, $0.count, target, nil, EVP_md5(), nil)
        }
        guard status == 1 else {
          throw VaultError(.unsupportedAlgorithm, "key: libcrypto refuses MD5")
        }
      }
      hash.withRawBytes { key.append($0) }
      input.removeAll()
      hash.withRawBytes { input.append($0) }
    }
    return key.secret(0..<count)
  }
}
