import VaultModel

/// The work that deriving keys for one file may take.
///
/// The file names the iterations, and libcrypto has no limit: 2^31 of them would take minutes,
/// many times in one file.
struct DerivationBudget {
  /// NSS writes 600 000 for each key; the longest takes a second or two.
  private static let most = 5_000_000
  private var left = 12_000_000

  /// Takes a number of iterations before they are made, and as many for each further block of a
  /// key.
  ///
  /// - Throws: ``VaultError/Code/tooCostly``, and nothing is derived;
  ///   ``VaultError/Code/invalidData`` for less than one.
  mutating func spend(_ iterations: Int, blocks: Int = 1) throws(VaultError) {
    guard iterations > 0 else { throw ASN1.malformed }
    guard iterations <= Self.most, iterations * blocks <= left else {
      throw VaultError(
        .tooCostly, "identity file: \(iterations) iterations, more than a key may take here")
    }
    left -= iterations * blocks
  }
}

/// A passphrase in the forms that files take it in.
struct FilePassphrase {
  /// As it was given, as PKCS #5 takes it.
  let utf8: Secret
  /// As PKCS #12 takes it: UTF-16, big-endian, with a NUL.
  let utf16: Secret

  /// Returns the forms of one passphrase, of which the file decides.
  ///
  /// - Parameter passphrase: UTF-8; nil is the empty one.
  /// - Returns: At least one form, the usual one first.
  /// - Throws: ``VaultError/Code/invalidArgument`` unless it is UTF-8.
  static func forms(of passphrase: Secret?) throws(VaultError) -> [FilePassphrase] {
    let utf8 = passphrase ?? Secret(copying: RawSpan())
    let forms = [FilePassphrase(utf8: utf8, utf16: try utf16(of: utf8))]
    // No passphrase and the empty one are two: OpenSSL writes the latter, others the former.
    if utf8.count == 0 { return forms + [FilePassphrase(utf8: utf8, utf16: utf8)] }
    // OpenSSL 1.0 took the bytes of UTF-8 for characters.
    guard utf8.octets(0..<utf8.count).contains(where: { $0 >= 0x80 }) else { return forms }
    return forms + [FilePassphrase(utf8: utf8, utf16: widened(utf8))]
  }

  private static func widened(_ bytes: Secret) -> Secret {
    var wide = SecretBuffer(capacity: 2 * bytes.count + 2)
    for index in 0..<bytes.count {
      wide.append(0)
      wide.append(bytes[index])
    }
    wide.append(0)
    wide.append(0)
    return wide.secret(0..<wide.count)
  }

  private static func utf16(of bytes: Secret) throws(VaultError) -> Secret {
    var wide = SecretBuffer(capacity: 2 * bytes.count + 2)
    var decoder = Unicode.UTF8.ForwardParser()
    var input = SecretIterator(bytes)
    reading: while true {
      switch decoder.parseScalar(from: &input) {
      case .valid(let encoded):
        for unit in UTF16.encode(Unicode.UTF8.decode(encoded)) ?? UTF16.encodedReplacementCharacter
        {
          wide.append(UInt8(unit >> 8))
          wide.append(UInt8(unit & 0xFF))
        }
      case .emptyInput: break reading
      case .error: throw VaultError(.invalidArgument, "identity file: the passphrase is not UTF-8")
      }
    }
    wide.append(0)
    wide.append(0)
    return wide.secret(0..<wide.count)
  }

  private struct SecretIterator: IteratorProtocol {
    let secret: Secret
    var index = 0

    init(_ secret: Secret) { self.secret = secret }

    mutating func next() -> UInt8? {
      guard index < secret.count else { return nil }
      defer { index += 1 }
      return secret[index]
    }
  }
}
