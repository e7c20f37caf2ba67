import VaultStore
import SecureMemory
import VaultCrypto
import VaultModel

/// The answer that Git sends back once a server has accepted it: mostly unchanged, and then there
/// is nothing to store.
///
/// From 2.46 on, Git hands a text of ours from `get` to `store`, its *state*. A digest in it lets
/// `store` see that nothing is new without opening the vault, so without another derivation or
/// prompt. It is in the answer only if `get` itself had to derive a key: with a key file, or a key
/// that the kernel remembers, `store` is quick and asks nobody.
///
/// The state goes through two pipes that carry the password itself, and to the user's other
/// helpers, who get the password as well. But a log may leave out `password=` and keep `state[]=`.
/// So the digest is not a hash that tries a billion passwords a second. It is keyed with a random
/// key that only the kernel has, for this user and an hour, and derives nothing: without that key,
/// nobody can try a password at all. A key in a file would be one more secret to protect, and a
/// locked vault has none. If the kernel keeps no keys, each try costs at least what a passphrase of
/// a slot costs.
extension GitRequest {
  /// Returns the lines that Git will send back if it is given the item.
  private func echo(of item: Item) -> GitRequest {
    var echo = self
    let isToken = item.isBearerToken
    if !isToken || !item.account.isEmpty { echo.username = item.account }
    echo.password = isToken ? nil : item.secret
    echo.credential = isToken ? item.secret : nil
    echo.scheme = isToken ? "Bearer" : nil
    echo.passwordExpiry = GitAnswer.expiry(of: item)
    echo.refreshToken = GitAnswer.refreshToken(of: item)
    return echo
  }

  /// Returns the text with which Git says later which item it was given and, with a digest, whether
  /// the credential is the same; there is none unless opening the vault again would derive a key.
  func state(of item: Item, hasDerived: Bool) throws(VaultError) -> String {
    let id = Self.statePrefix + item.id.text
    guard hasDerived else { return id }
    let content = echo(of: item).content
    if let digest = DigestKey.digest(of: content) {
      return id + ":" + Self.keyed + String(hexadecimal: digest.bytes)
    }
    do throws(VaultError) {
      return try id + ":" + String(hexadecimal: SlowDigest(of: content).bytes)
    } catch {
      // Without the digest `store` opens the vault, as without a state.
      guard error.code == .outOfMemory else { throw error }
      return id
    }
  }

  /// Whether it is what Git was given, as the digest in its state says.
  var isEcho: Bool {
    get throws(VaultError) {
      guard let text = givenState?.dropFirst().first else { return false }
      guard !text.hasPrefix(Self.keyed) else {
        let digest = Self.bytes(text.dropFirst(Self.keyed.count)).flatMap { KeyedDigest($0) }
        return digest.map { DigestKey.isDigest($0, of: content) } ?? false
      }
      do throws(VaultError) {
        guard let digest = Self.bytes(text).flatMap({ SlowDigest($0) }) else { return false }
        return try digest.isOf(content)
      } catch {
        guard error.code == .outOfMemory else { throw error }
        return false
      }
    }
  }

  /// The place and the credential, unambiguously: for each part `u8 1 ‖ u32 length ‖ bytes`, or
  /// `u8 0`.
  private var content: Secret {
    var content = SecretBuffer()
    for text in [networkProtocol, host, path, username, isForToken ? "token" : "password"] {
      content.append(part: text.map { Secret($0) })
    }
    content.append(part: secret)
    content.append(part: passwordExpiry.map { Secret(String($0.milliseconds / 1000)) })
    content.append(part: refreshToken)
    return content.secret(0..<content.count)
  }

  /// The start of a digest that is keyed; no hexadecimal digit.
  private static let keyed = "k"

  /// Returns the bytes of hexadecimal digits; nil for any other text.
  private static func bytes(_ text: Substring) -> [UInt8]? {
    let digits = text.compactMap(\.hexDigitValue)
    guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}

extension SecretBuffer {
  fileprivate mutating func append(part: Secret?) {
    append(part == nil ? 0 : 1)
    guard let part else { return }
    let count = UInt32(clamping: part.count)
    for shift in [0, 8, 16, 24] { append(UInt8(truncatingIfNeeded: count >> shift)) }
    part.withRawBytes { append($0) }
  }
}
