import CVault
import VaultModel

/// Attributes as the keychain-shaped functions take them: tags, and values as bytes.
struct AttributeList {
  private var tags: [UInt32] = []
  private var values: [[UInt8]] = []

  init(_ attributes: Attributes) throws {
    for (attribute, value) in attributes {
      append(attribute.tag, try attribute.bytes(value))
    }
  }

  init(_ attributes: [(tag: UInt32, value: [UInt8])]) {
    for (tag, value) in attributes { append(tag, value) }
  }

  private mutating func append(_ tag: UInt32, _ value: [UInt8]) {
    tags.append(tag)
    values.append(value)
  }

  /// Calls `body` with the list, which is only valid until it returns; NULL for an empty one.
  @safe func with<R>(_ body: (UnsafePointer<VaultAttributeList>?) throws -> R) throws -> R {
    guard !tags.isEmpty else { return try body(nil) }
    var bytes = values.flatMap { $0 }
    return try unsafe bytes.withUnsafeMutableBytes { bytes in
      var offset = 0
      var attributes = unsafe [VaultAttribute]()
      for (tag, value) in zip(tags, values) {
        // Within the bytes of all values, or behind them with the length 0.
        let data = unsafe bytes.baseAddress?.advanced(by: offset)
        unsafe attributes.append(VaultAttribute(tag: tag, length: UInt32(value.count), data: data))
        offset += value.count
      }
      return try unsafe attributes.withUnsafeMutableBufferPointer { attributes in
        // The list stands for both buffers, during which it is used.
        var list = unsafe VaultAttributeList(
          count: UInt32(attributes.count), attr: attributes.baseAddress)
        return try unsafe body(&list)
      }
    }
  }
}

extension Attribute {
  var tag: UInt32 { Codes.code(constant) }

  private var constant: Int {
    switch self {
    case .account: kVaultAccountItemAttr
    case .realm: kVaultSecurityDomainItemAttr
    case .server: kVaultServerItemAttr
    case .protocol: kVaultProtocolItemAttr
    case .method: kVaultAuthenticationTypeItemAttr
    case .port: kVaultPortItemAttr
    case .path: kVaultPathItemAttr
    case .label: kVaultLabelItemAttr
    case .comment: kVaultCommentItemAttr
    case .kind: kVaultDescriptionItemAttr
    case .creator: kVaultCreatorItemAttr
    case .type: kVaultTypeItemAttr
    case .invisible: kVaultInvisibleItemAttr
    case .negative: kVaultNegativeItemAttr
    case .created: kVaultCreationDateItemAttr
    case .modified: kVaultModDateItemAttr
    }
  }

  /// Returns a value as the keychain's bytes; none if it is unset.
  func bytes(_ value: String) throws -> [UInt8] {
    guard !value.isEmpty else { return [] }
    return switch self {
    case .protocol: Self.bytes(Codes.code(value, in: Codes.protocols))
    case .method: Self.bytes(Codes.code(value, in: Codes.methods))
    case .port, .invisible, .negative: Self.bytes(UInt32(value) ?? 0)
    case .creator, .type: Self.bytes(try FourCharacterCode(value).rawValue)
    default: Array(value.utf8)
    }
  }

  /// Returns the text of bytes, as rows have it; empty if it is unset.
  func text(_ bytes: [UInt8]) throws -> String {
    var number: UInt32 { Self.number(bytes) }
    return switch self {
    case _ where bytes.isEmpty: ""
    case .protocol: Codes.word(number, in: Codes.protocols)
    case .method: Codes.word(number, in: Codes.methods)
    case .port, .invisible, .negative: number == 0 ? "" : "\(number)"
    case .creator, .type: FourCharacterCode(rawValue: number).description
    case .created, .modified: String(decoding: bytes.dropLast(), as: UTF8.self)
    default: String(decoding: bytes, as: UTF8.self)
    }
  }

  /// Returns a number in the machine's order.
  static func bytes(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: UInt32(littleEndian: number) >> (8 * $0)) }
  }

  static func number(_ bytes: [UInt8]) -> UInt32 {
    UInt32(littleEndian: bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) })
  }
}
