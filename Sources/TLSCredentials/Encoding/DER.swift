import SecureMemory

/// A value to be encoded by DER, whose bytes stay in guarded memory if they are secret.
struct DER {
  private let tag: UInt8
  private let content: Content

  private indirect enum Content {
    case bytes([UInt8])
    case secret(Secret)
    case elements([DER])
  }

  /// Returns an element with the bytes of its content.
  static func primitive(_ tag: UInt8, _ bytes: [UInt8]) -> DER {
    DER(tag: tag, content: .bytes(bytes))
  }

  static func constructed(_ tag: UInt8, _ elements: [DER]) -> DER {
    DER(tag: tag, content: .elements(elements))
  }

  static func sequence(_ elements: DER...) -> DER { constructed(ASN1.sequence, elements) }

  static func explicit(_ number: UInt8, _ element: DER) -> DER {
    constructed(ASN1.explicit(number), [element])
  }

  static func octetString(_ secret: Secret) -> DER {
    DER(tag: ASN1.octetString, content: .secret(secret))
  }

  static func octetString(_ bytes: [UInt8]) -> DER { primitive(ASN1.octetString, bytes) }

  static func oid(_ oid: OID) -> DER { primitive(ASN1.oid, oid.bytes) }

  static var null: DER { primitive(ASN1.null, []) }

  /// Encodes a number that is not negative.
  static func integer(_ value: Int) -> DER {
    var bytes: [UInt8] = []
    var rest = value
    repeat {
      bytes.insert(UInt8(rest & 0xFF), at: 0)
      rest >>= 8
    } while rest > 0
    return primitive(ASN1.integer, bytes[0] & 0x80 == 0 ? bytes : [0] + bytes)
  }

  /// Returns content that is already encoded, with a tag of its own.
  static func encoded(_ secret: Secret) -> DER { DER(tag: 0, content: .secret(secret)) }

  static func encoded(_ bytes: [UInt8]) -> DER { DER(tag: 0, content: .bytes(bytes)) }

  /// The encoding, in guarded memory.
  var secret: Secret {
    var target = SecretBuffer(capacity: count)
    write(into: &target)
    return target.secret(0..<target.count)
  }

  /// The number of bytes of the encoding.
  private var count: Int {
    tag == 0 ? contentCount : 1 + length(contentCount).count + contentCount
  }

  private var contentCount: Int {
    switch content {
    case .bytes(let bytes): bytes.count
    case .secret(let secret): secret.count
    case .elements(let elements): elements.reduce(0) { $0 + $1.count }
    }
  }

  private func write(into target: inout SecretBuffer) {
    if tag != 0 {
      target.append(tag)
      for byte in length(contentCount) { target.append(byte) }
    }
    switch content {
    case .bytes(let bytes): for byte in bytes { target.append(byte) }
    case .secret(let secret): secret.withRawBytes { target.append($0) }
    case .elements(let elements): for element in elements { element.write(into: &target) }
    }
  }

  private func length(_ count: Int) -> [UInt8] {
    guard count >= 0x80 else { return [UInt8(count)] }
    var bytes: [UInt8] = []
    var rest = count
    while rest > 0 {
      bytes.insert(UInt8(rest & 0xFF), at: 0)
      rest >>= 8
    }
    return [0x80 | UInt8(bytes.count)] + bytes
  }
}
