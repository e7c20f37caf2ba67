public import SecureMemory
import VaultModel

extension Certificate {
  /// The certificate as PEM (RFC 7468), with a line feed at the end.
  public var pem: String {
    let text = PEM.block("CERTIFICATE", Secret(copying: der.span))
    return String(decoding: text.octets(0..<text.count), as: UTF8.self)
  }
}

extension PrivateKey {
  /// The key as PEM (`PRIVATE KEY`, RFC 7468 §10), not encrypted.
  public var pem: Secret { PEM.block("PRIVATE KEY", pkcs8) }
}

extension Identity {
  /// Certificate, chain and key as one PEM file, in this order, as Git and curl take it.
  ///
  /// The key in it is not encrypted.
  public var pem: Secret {
    var text = SecretBuffer()
    for certificate in [certificate] + chain { text.append(ascii: certificate.pem) }
    key.pem.withRawBytes { text.append($0) }
    return text.secret(0..<text.count)
  }
}

enum PEM {
  /// Returns the block of a kind with lines of 64 characters.
  static func block(_ label: String, _ content: Secret) -> Secret {
    let base64 = Base64.encode(content)
    var text = SecretBuffer(capacity: base64.count + base64.count / 64 + 80)
    text.append(ascii: "-----BEGIN \(label)-----\n")
    for start in stride(from: 0, to: base64.count, by: 64) {
      let line = start..<min(start + 64, base64.count)
      base64.withRawBytes { text.append($0.extracting(line)) }
      text.append(UInt8(ascii: "\n"))
    }
    text.append(ascii: "-----END \(label)-----\n")
    return text.secret(0..<text.count)
  }
}

extension SecretBuffer {
  /// Adds a text that is not a secret.
  fileprivate mutating func append(ascii text: String) {
    for byte in text.utf8 { append(byte) }
  }
}
