import SecureMemory
package import VaultModel

// The addresses of an entry: where its password belongs, and all that they say beside it.
extension EntryDraft {
  /// The custom attribute with an address of which the item's key has only a part.
  static let wholeAddress = "address"
  private static let userInAddress = "account in the address"

  /// Adds an address, without the password in it; an empty one is ignored, and one whose host or
  /// port is none is kept as text.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if it is not UTF-8.
  package mutating func addAddress(_ bytes: RawSpan) throws(VaultError) {
    let parts = AddressParts(bytes)
    guard !Self.isOneTimePassword(bytes, parts) else {
      return addSecret(Self.oneTimePassword, bytes)
    }
    if let password = parts.password {
      try Bytes.withDecoded(bytes.extracting(password), "address") { (decoded) throws(VaultError) in
        addSecret("password in the address", decoded)
      }
    }
    guard let address = try address(bytes, parts) else { return }
    if case .network(_, let user) = address {
      if parts.scheme == nil { remark(.protocolAssumed) }
      if let user { addOtherAccount(user) }
      try keepTail(bytes, parts)
    }
    addresses.append(address)
  }

  /// Adds a server that is known by its parts.
  package mutating func addAddress(_ url: URLReference) {
    addresses.append(.network(url, user: url.user))
    if let user = url.user { addOtherAccount(user) }
  }

  private mutating func addOtherAccount(_ user: String) {
    if !user.isEmpty { otherAccounts.append((Self.userInAddress, user)) }
  }

  private func address(
    _ bytes: RawSpan, _ parts: AddressParts
  ) throws(VaultError) -> Address? {
    do throws(VaultError) {
      return try Address(bytes, parts, path: path, assumed: assumedProtocol)
    } catch {
      guard error.code == .invalidArgument else { throw error }
      let scheme = try parts.scheme.map { (range) throws(VaultError) in
        try Bytes.text(bytes.extracting(range), "address") + "://"
      }
      return .text(try (scheme ?? "") + Bytes.text(bytes.extracting(parts.rest), "address"))
    }
  }

  // MARK: What a key does not have

  /// Keeps a whole address if the item's key has no place for what follows its host: the path of a
  /// page, and a fragment.
  private mutating func keepTail(_ bytes: RawSpan, _ parts: AddressParts) throws(VaultError) {
    let tail = bytes.extracting(parts.tail)
    let isCut =
      switch path {
      case .page: tail.byteCount > 1 || tail.byteCount == 1 && Bytes.at(tail, 0) != slash
      case .scope: Bytes.firstIndex(of: UInt8(ascii: "#"), in: tail) != nil
      }
    guard isCut else { return }
    guard let scheme = parts.scheme else { return try keep(address: bytes.extracting(parts.rest)) }
    guard parts.user != nil else {
      return try keep(address: bytes.extracting(scheme.lowerBound..<parts.rest.upperBound))
    }
    var whole = SecretBuffer(capacity: bytes.byteCount)
    whole.append(bytes.extracting(scheme.lowerBound..<(scheme.upperBound + 3)))
    whole.append(bytes.extracting(parts.rest))
    try whole.withRawBytes { (bytes) throws(VaultError) in try keep(address: bytes) }
  }

  /// Keeps an address as a custom attribute, or as a further secret if a part of it is one, as in a
  /// link that logs in.
  private mutating func keep(address: RawSpan) throws(VaultError) {
    if Self.holdsKey(address) || Self.namesSecret(address) {
      addSecret(Self.wholeAddress, address)
    } else {
      try addAttribute(Self.wholeAddress, address)
    }
  }

  /// Keeps addresses as custom attributes, but for one that is the service.
  mutating func keep(
    _ addresses: [Address], besides service: String
  ) throws(VaultError) {
    for address in addresses {
      let text = if case .app(_, let whole) = address { whole } else { address.name }
      let isKept =
        text.hasSameBytes(as: service)
        || address.isServer && custom.values.contains { $0.hasPrefix(text) }
      guard !isKept else { continue }
      // A view of bytes: every bit pattern of UTF-8 is valid as raw bytes.
      try unsafe keep(address: text.utf8.span.bytes)
    }
  }

  /// Returns whether the query or the fragment of an address has a value whose name says that it is
  /// secret.
  private static func namesSecret(_ address: RawSpan) -> Bool {
    guard Bytes.firstIndex(of: UInt8(ascii: "="), in: address) != nil else { return false }
    var start: Int?
    for index in 0..<address.byteCount {
      switch Bytes.at(address, index) {
      case UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "&"), UInt8(ascii: ";"):
        start = index + 1
      case UInt8(ascii: "="):
        guard let name = start, let text = Bytes.textOrNil(address.extracting(name..<index)) else {
          continue
        }
        if isSecret(text) { return true }
        start = nil
      default: continue
      }
    }
    return false
  }

  private var slash: UInt8 { UInt8(ascii: "/") }
}
