package import SecureMemory
package import VaultModel

/// The answer to a Basic challenge.
package enum BasicResponse {
  private static let scheme = AuthenticationMethod.basic.scheme + " "

  /// Returns the value of the `Authorization` field: `Basic`, and user and password in base64.
  ///
  /// - Parameter credential: The user and password, which are sent in UTF-8 and NFC.
  /// - Returns: The value, as secret as the password.
  /// - Throws: ``VaultError/Code/invalidArgument`` naming `user` or `password` if it contains a
  ///   control character, or the user a colon.
  /// - Source: RFC 7617 §2.
  package static func value(_ credential: Credential) throws(VaultError) -> Secret {
    try withParts(of: credential) { user, password in
      let count = scheme.utf8.count + Base64.length(of: user.count + 1 + password.byteCount)
      // The secret's own memory is exactly as long as what is written.
      return unsafe Secret(count: count) { memory in
        unsafe memory.copyBytes(from: scheme.utf8)
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[scheme.utf8.count...])
        var writer = unsafe Base64Writer(rest)
        unsafe writer.append(user.span.bytes)
        writer.append(UInt8(ascii: ":"))
        writer.append(password)
        writer.finish()
      }
    }
  }

  /// Checks that Basic can carry a credential.
  ///
  /// - Throws: As ``value(_:)``.
  package static func check(_ credential: Credential) throws(VaultError) {
    try withParts(of: credential) { _, _ in }
  }

  /// Calls `body` with the user and password as they are sent, before they are encoded.
  private static func withParts<R>(
    of credential: Credential, _ body: (String.UTF8View, RawSpan) -> R
  ) throws(VaultError) -> R {
    let user = NormalForm.composed(credential.user).utf8
    guard !user.contains(where: { $0.isControl || $0 == UInt8(ascii: ":") }) else {
      throw VaultError(.invalidArgument, "user: holds a colon or a control character")
    }
    return try credential.secret.withComposedBytes { password throws(VaultError) in
      // The buffer is valid within the closure.
      guard unsafe password.withUnsafeBytes({ unsafe $0.allSatisfy { !$0.isControl } }) else {
        throw VaultError(.invalidArgument, "password: holds a control character")
      }
      return body(user, password)
    }
  }
}

/// A writer of base64 into a secret's memory, piece by piece.
///
/// - Source: RFC 4648 §4.
// Every write is checked against the memory's count.
@safe struct Base64Writer {
  private let memory: UnsafeMutableRawBufferPointer
  private let length: Int
  private var position = 0
  private var bits = 0
  private var held = 0

  /// Creates a writer at the start of `memory`, which must outlive it.
  @unsafe init(_ memory: UnsafeMutableRawBufferPointer) {
    length = memory.count
    unsafe self.memory = memory
  }

  /// Appends bytes.
  mutating func append(_ bytes: RawSpan) {
    // The buffer is valid within the closure, and read within its count.
    unsafe bytes.withUnsafeBytes { for index in $0.indices { append(unsafe $0[index]) } }
  }

  /// Appends a byte.
  mutating func append(_ byte: UInt8) {
    bits = (bits << 8 | Int(byte)) & 0xFF_FFFF
    held += 1
    if held == 3 { writeGroup(4) }
  }

  /// Writes the remaining bits, and the padding.
  mutating func finish() {
    guard held > 0 else { return }
    let characters = held + 1
    while held < 3 { (bits, held) = (bits << 8, held + 1) }
    writeGroup(characters)
    while position % 4 != 0 { write(UInt8(ascii: "=")) }
  }

  private mutating func writeGroup(_ characters: Int) {
    for index in 0..<characters {
      write(Base64.character(bits >> (18 - 6 * index) & 63))
    }
    (bits, held) = (0, 0)
  }

  private mutating func write(_ character: UInt8) {
    precondition(position < length, "memory for the whole of the text")
    // Within the memory, as was checked.
    unsafe memory[position] = character
    position += 1
  }
}

/// The answer to a Bearer challenge.
package enum BearerResponse {
  private static let scheme = AuthenticationMethod.bearer.scheme + " "

  /// Returns the value of the `Authorization` field: `Bearer`, and the token.
  ///
  /// - Parameter token: The token. RFC 6750 allows letters, digits and `-._~+/=`; issuers also use
  ///   other visible ASCII.
  /// - Returns: The value, as secret as the token.
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is empty or has anything but visible
  ///   ASCII.
  /// - Source: RFC 6750 §2.1.
  package static func value(_ token: Secret) throws(VaultError) -> Secret {
    try token.withRawBytes { bytes throws(VaultError) in
      // The buffer is valid within the closure.
      let isClean = unsafe bytes.withUnsafeBytes { bytes in
        unsafe !bytes.isEmpty && bytes.allSatisfy { (0x21...0x7E).contains($0) }
      }
      guard isClean else {
        throw VaultError(.invalidArgument, "token: empty, or not visible ASCII")
      }
      // The secret's own memory is exactly as long as what is written.
      return unsafe Secret(count: scheme.utf8.count + bytes.byteCount) { memory in
        unsafe memory.copyBytes(from: scheme.utf8)
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[scheme.utf8.count...])
        unsafe bytes.withUnsafeBytes { unsafe rest.copyMemory(from: $0) }
      }
    }
  }
}
