package import SecureMemory
package import VaultModel

/// The kind of a sealed row; part of its associated data.
package enum NodeKind: UInt8, Sendable {
  case head = 1
  case chunk = 2
  case bucket = 3
  case largeSecret = 4
  case ancestors = 5
  case commit = 6

  var purpose: EpochKeys.Purpose {
    switch self {
    case .head: .head
    case .chunk, .bucket, .ancestors, .commit: .node
    case .largeSecret: .secret
    }
  }
}

/// Sealed rows. Source: `Documentation/format.md` §5.1.
extension EpochKeys {
  private static let paddingStep = 512
  private static let lengthSize = 4

  private func associatedData(_ kind: NodeKind, _ id: UInt64) -> [UInt8] {
    var bytes = nodeBinding
    bytes[10] = kind.rawValue
    bytes.store(id, at: 36)
    return bytes
  }

  /// Seals a row, padded to a multiple of 512 bytes.
  package func seal(_ content: [UInt8], as kind: NodeKind, id: UInt64) -> [UInt8] {
    content.withSpan { seal($0, as: kind, id: id) }
  }

  /// Seals a large secret, padded to a multiple of 512 bytes.
  package func seal(_ secret: Secret, id: UInt64) -> [UInt8] {
    secret.withRawBytes { seal($0, as: .largeSecret, id: id) }
  }

  private func seal(_ content: RawSpan, as kind: NodeKind, id: UInt64) -> [UInt8] {
    let plaintextSize = Self.paddedSize(content.byteCount)
    let associatedData = associatedData(kind, id)
    // Every byte of both buffers is written: length, content and zeros, then the seal of all.
    return unsafe withUnsafeTemporaryAllocation(byteCount: plaintextSize, alignment: 8) { plain in
      unsafe plain.storeBytes(of: UInt32(content.byteCount).littleEndian, as: UInt32.self)
      unsafe content.withUnsafeBytes { content in
        unsafe UnsafeMutableRawBufferPointer(rebasing: plain[Self.lengthSize...])
          .copyMemory(from: content)
      }
      let end = Self.lengthSize + content.byteCount
      unsafe UnsafeMutableRawBufferPointer(rebasing: plain[end...])
        .initializeMemory(as: UInt8.self, repeating: 0)
      // A large secret's plaintext must not stay on the stack or the heap.
      defer { if kind == .largeSecret { unsafe wipe(plain) } }
      return unsafe [UInt8](unsafeUninitializedCapacity: plaintextSize + Sealing.overhead) {
        output, initialized in
        unsafe seal(
          UnsafeRawBufferPointer(plain), into: UnsafeMutableRawBufferPointer(output), kind.purpose,
          associatedData: associatedData)
        initialized = plaintextSize + Sealing.overhead
      }
    }
  }

  /// Opens a row that is not a large secret.
  ///
  /// - Returns: The content, without its padding.
  /// - Throws: ``VaultError/Code/damaged`` if it is not the row that was sealed as `kind` and `id`.
  package func open(
    _ sealed: [UInt8], as kind: NodeKind, id: UInt64
  ) throws(VaultError) -> [UInt8] {
    precondition(kind != .largeSecret, "large secrets open into guarded memory")
    let size = try Self.plaintextSize(sealed)
    var isAuthentic = false
    // `open` writes all of `size` bytes, zeros if it fails.
    var plain = unsafe [UInt8](unsafeUninitializedCapacity: size) { output, initialized in
      isAuthentic = unsafe open(
        sealed, as: kind, id: id, into: UnsafeMutableRawBufferPointer(output))
      initialized = size
    }
    guard isAuthentic else { throw Self.damagedRow(kind, id) }
    let content = try plain.withSpan { (plain) throws(VaultError) in
      try Self.content(plain, kind, id)
    }
    plain.removeSubrange(content.upperBound...)
    plain.removeSubrange(..<content.lowerBound)
    return plain
  }

  /// Opens a large secret.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if it is not the row that was sealed under `id`, or is
  ///   not `count` bytes long.
  package func openLargeSecret(
    _ sealed: [UInt8], id: UInt64, count: Int
  ) throws(VaultError) -> Secret {
    let size = try Self.plaintextSize(sealed)
    // `open` writes all of `size` bytes, zeros if it fails.
    let plain = try unsafe Secret(count: size) { (output) throws(VaultError) in
      guard unsafe open(sealed, as: .largeSecret, id: id, into: output) else {
        throw Self.damagedRow(.largeSecret, id)
      }
    }
    return try plain.withRawBytes { (plain) throws(VaultError) in
      let content = try Self.content(plain, .largeSecret, id)
      guard content.count == count else { throw Self.damagedRow(.largeSecret, id) }
      return Secret(copying: plain.extracting(content))
    }
  }

  /// Returns whether a row would open, without decrypting it into memory.
  package func isAuthentic(_ sealed: [UInt8], as kind: NodeKind, id: UInt64) -> Bool {
    guard sealed.count >= Self.paddingStep, sealed.count.isMultiple(of: Self.paddingStep) else {
      return false
    }
    let associatedData = associatedData(kind, id)
    return withSubkey(kind.purpose) { key in
      // The row lives through the call and is long enough.
      unsafe sealed.withUnsafeBytes { sealed in
        unsafe Sealing.isAuthentic(sealed, key: key, associatedData: associatedData)
      }
    }
  }

  /// Requires that a row would open, without decrypting it into memory.
  ///
  /// - Throws: ``VaultError/Code/damaged``.
  package func requireAuthentic(
    _ sealed: [UInt8], as kind: NodeKind, id: UInt64
  ) throws(VaultError) {
    guard isAuthentic(sealed, as: kind, id: id) else { throw Self.damagedRow(kind, id) }
  }

  @unsafe private func open(
    _ sealed: [UInt8], as kind: NodeKind, id: UInt64, into output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    let associatedData = associatedData(kind, id)
    return withSubkey(kind.purpose) { key in
      unsafe sealed.withUnsafeBytes { sealed in
        unsafe Sealing.open(
          sealed, into: output, key: key, associatedData: associatedData)
      }
    }
  }

  private static func paddedSize(_ count: Int) -> Int {
    let row = lengthSize + count + Sealing.overhead
    return (row + paddingStep - 1) / paddingStep * paddingStep - Sealing.overhead
  }

  private static func plaintextSize(_ sealed: [UInt8]) throws(VaultError) -> Int {
    guard sealed.count >= paddingStep, sealed.count.isMultiple(of: paddingStep) else {
      throw VaultError(.damaged, "a sealed row has \(sealed.count) bytes")
    }
    return sealed.count - Sealing.overhead
  }

  private static func content(
    _ plain: RawSpan, _ kind: NodeKind, _ id: UInt64
  ) throws(VaultError) -> Range<Int> {
    // The smallest plaintext has 472 bytes.
    let count = Int(unsafe plain.unsafeLoad(as: UInt32.self).littleEndian)
    let end = lengthSize + count
    guard end <= plain.byteCount, paddedSize(count) == plain.byteCount else {
      throw damagedRow(kind, id)
    }
    // The seal authenticates the padding; this only prevents two encodings of one content.
    var padding: UInt8 = 0
    for offset in end..<plain.byteCount {
      // The offset is below the span's count.
      padding |= unsafe plain.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
    }
    guard padding == 0 else { throw damagedRow(kind, id) }
    return lengthSize..<end
  }

  private static func damagedRow(_ kind: NodeKind, _ id: UInt64) -> VaultError {
    VaultError(.damaged, "\(kind) \(id) does not open")
  }
}
