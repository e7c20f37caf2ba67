import Glibc
import SecureMemory
package import VaultCrypto
package import VaultStore
public import VaultModel

extension KeySource {
  /// The maximum length of a passphrase; a key file is shorter.
  private static let longestInput = 1 << 20

  /// Reads the key.
  ///
  /// - Throws: ``VaultError/Code/missingInput`` if a file or variable does not exist;
  ///   ``VaultError/Code/unsafePermissions`` if others can use it, or put another in its place;
  ///   ``VaultError/Code/invalidData`` if it is neither a key file nor a recovery code, or holds an
  ///   empty passphrase; ``VaultError/Code/invalidArgument`` for an empty passphrase in memory.
  package func read() throws(VaultError) -> UnlockKey {
    switch self {
    case .keyFile(let path):
      return try Self.keyFile(Self.readFile(path), in: path)
    case .keyText(let text): return .keyFile(try VaultCrypto.KeyFile(reading: text))
    case .keyVariable(let name): return try Self.keyFile(Self.take(name), in: name)
    case .passphrase(let passphrase):
      guard passphrase.count > 0 else {
        throw VaultError(.invalidArgument, "the passphrase is empty")
      }
      return .passphrase(passphrase)
    case .passphraseFile(let path):
      return try Self.passphrase(Self.withoutNewline(Self.readFile(path)), in: path)
    case .passphraseDescriptor(let descriptor):
      let name = "descriptor \(descriptor)"
      return try Self.passphrase(
        Self.withoutNewline(Self.readAll(descriptor, name)), in: name)
    case .passphraseVariable(let name):
      return try Self.passphrase(Self.take(name), in: name)
    case .askedPassphrase(let ask):
      let passphrase = try UserClosure().call(ask)
      guard passphrase.count > 0 else { throw VaultError(.invalidData, "nothing was typed") }
      return .passphrase(passphrase)
    case .both(let first, let second):
      let key = try first.read()
      // A machine's key opens its slot alone.
      if key.kind == .machine { return key }
      guard second.isPassphrase != first.isPassphrase,
        key.kind == .passphrase || key.kind == .keyFile
      else { throw VaultError(.invalidArgument, "both means a passphrase and a key file") }
      return .both(key, SecondHalf { () throws(VaultError) in try second.read() })
    case .found(let sources):
      guard let first = sources.first(where: { !$0.isMachineFile }) ?? sources.first else {
        throw VaultError(.invalidArgument, "no key was found")
      }
      return try first.read()
    case .recoveryCode(let text): return .recoveryCode(try RecoveryCode(reading: text))
    case .recoveryFile(let path):
      let text = Self.lastLine(try Self.readFile(path))
      do throws(VaultError) {
        return .recoveryCode(try RecoveryCode(reading: text))
      } catch {
        throw VaultError(error.code, "\(path): \(error.context)")
      }
    }
  }

  /// Returns the text of a key file, which ``keyText(_:)`` takes.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if this is another kind of key; any error of
  ///   reading it.
  public func textOfKeyFile() throws(VaultError) -> Secret {
    guard case .keyFile(let file) = try read() else {
      throw VaultError(.invalidArgument, "the key is not a key file")
    }
    return file.text()
  }

  private static func take(_ name: String) throws(VaultError) -> Secret {
    guard let secret = Environment.take(name) else {
      throw VaultError(.missingInput, "the variable \(name) is not set, or was read already")
    }
    return secret
  }

  /// Reads a key file's bytes or its text.
  private static func keyFile(_ bytes: Secret, in place: String) throws(VaultError) -> UnlockKey {
    do throws(VaultError) {
      if bytes.withRawBytes(MachineKey.isOne) {
        return .machine(
          try bytes.withRawBytes { (bytes) throws(VaultError) in try MachineKey(decoding: bytes) })
      }
      guard bytes.count > VaultCrypto.KeyFile.byteCount else {
        return .keyFile(
          try bytes.withRawBytes { (bytes) throws(VaultError) in
            try VaultCrypto.KeyFile(decoding: bytes)
          })
      }
      return .keyFile(try VaultCrypto.KeyFile(reading: bytes))
    } catch {
      throw VaultError(error.code, "\(place): \(error.context)")
    }
  }

  private static func passphrase(
    _ passphrase: Secret, in place: String
  ) throws(VaultError) -> UnlockKey {
    guard passphrase.count > 0 else {
      throw VaultError(.invalidData, "\(place) holds an empty passphrase")
    }
    return .passphrase(passphrase)
  }

  /// Returns the same key for repeated use: a descriptor can be read only once, and a user is
  /// prompted only once.
  ///
  /// - Returns: A passphrase in memory instead of a file, a descriptor, a variable or a prompt. The
  ///   second half of ``both(_:_:)`` is still not read before it is needed. Any other source is
  ///   returned as it is.
  /// - Throws: Any error of reading the key.
  package func loaded() throws(VaultError) -> KeySource {
    switch self {
    case .passphraseFile, .passphraseDescriptor, .passphraseVariable, .askedPassphrase:
      guard case .passphrase(let passphrase) = try read() else { return self }
      return .passphrase(passphrase)
    case .keyVariable(let name):
      let text = try Self.take(name)
      // An error names the variable, which the text no longer does.
      _ = try Self.keyFile(text, in: name)
      return .keyText(text)
    case .both(let first, let second): return .both(try first.loaded(), second.readOnce())
    case .found(let sources):
      return .found(try sources.map { (source) throws(VaultError) in try source.loaded() })
    case .keyFile, .keyText, .passphrase, .recoveryCode, .recoveryFile: return self
    }
  }

  /// Returns the same source, which is read when it is first used and not again.
  func readOnce() -> KeySource {
    switch self {
    case .passphraseDescriptor, .passphraseVariable, .askedPassphrase:
      let source = self
      let known = Lock<Secret?>(nil)
      return .askedPassphrase { () throws(VaultError) in
        try known.withLock { (known) throws(VaultError) in
          if let known { return known }
          guard case .passphrase(let passphrase) = try source.read() else { return Secret("") }
          known = passphrase
          return passphrase
        }
      }
    case .keyVariable(let name): return Environment.take(name).map { .keyText($0) } ?? self
    default: return self
    }
  }

  /// The function that reads the key file again; nil for a key that only a user can give again.
  package var keyFileReader: KeyFileReader? {
    switch self {
    case .keyFile, .keyText: { () throws(VaultError) in try read() }
    case .both(let first, let second): first.keyFileReader ?? second.keyFileReader
    case .found(let sources): sources.first?.keyFileReader
    default: nil
    }
  }

  private static func readFile(_ path: String) throws(VaultError) -> Secret {
    try FolderCheck.run(on: path)
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else {
      throw VaultError(
        errno == ENOENT ? .missingInput : .inputOutput, "\(path) cannot be read",
        underlying: .errno(errno))
    }
    defer { close(descriptor) }
    try checkPermissions(of: descriptor, path)
    return try readAll(descriptor, path)
  }

  /// Rejects a key file that others can read or write: the key is no longer secret, or no longer
  /// the owner's.
  private static func checkPermissions(
    of descriptor: Int32, _ path: String
  ) throws(VaultError) {
    var information = stat()
    guard unsafe fstat(descriptor, &information) == 0 else {
      throw VaultError(.inputOutput, "\(path) cannot be read", underlying: .errno(errno))
    }
    // The permissions of a pipe that the shell made mean nothing.
    guard information.st_mode & S_IFMT == S_IFREG else { return }
    guard information.st_uid == geteuid() || information.st_uid == 0 else {
      throw VaultError(.unsafePermissions, "\(path) belongs to another user")
        .about(.access(.takeOwnership(path: path, of: .file)))
    }
    // systemd lets a service's user read its credentials by an ACL, which shows as the group's
    // bits.
    let forbidden: mode_t = isCredential(path) ? 0o037 : 0o077
    guard information.st_mode & forbidden == 0 else {
      throw VaultError(.unsafePermissions, "\(path) can be used by others")
        .about(.access(.takeOwnership(path: path, of: .file)))
    }
  }

  /// Returns whether a file is a credential that systemd provided to this service.
  private static func isCredential(_ path: String) -> Bool {
    Environment.value("CREDENTIALS_DIRECTORY").map { path.hasPrefix($0 + "/") } ?? false
  }

  /// Reads to the end, straight into guarded memory.
  private static func readAll(_ descriptor: Int32, _ name: String) throws(VaultError) -> Secret {
    // Keys and passphrases are short; the rest of a longer one is read into a second, larger block.
    let start = try read(descriptor, name, count: 4096, after: Secret(""))
    guard start.count == 4096 else { return start }
    let all = try read(descriptor, name, count: longestInput + 1, after: start)
    guard all.count <= longestInput else {
      throw VaultError(.tooLarge, "\(name) holds more than \(longestInput) bytes")
    }
    return all
  }

  /// Continues reading after `start`, up to `count` bytes in all.
  private static func read(
    _ descriptor: Int32, _ name: String, count: Int, after start: Secret
  ) throws(VaultError) -> Secret {
    var total = start.count
    // `start` is shorter than the buffer, and `read` gets the unused rest of it.
    let buffer = try unsafe Secret(count: count) { (buffer) throws(VaultError) in
      start.withRawBytes { unsafe $0.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) } }
      while total < buffer.count {
        let count = unsafe Glibc.read(
          descriptor, buffer.baseAddress?.advanced(by: total), buffer.count - total)
        if count == 0 { return }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          throw VaultError(.inputOutput, "\(name) cannot be read", underlying: .errno(errno))
        }
        total += count
      }
    }
    return buffer.withRawBytes { Secret(copying: $0.extracting(0..<total)) }
  }

  private static func lastLine(_ text: Secret) -> Secret {
    text.withRawBytes { bytes in
      let whole = Bytes.trimmed(bytes)
      let start = whole.last { Bytes.at(bytes, $0) == 0x0A }.map { $0 + 1 } ?? whole.lowerBound
      return Secret(copying: bytes.extracting(start..<whole.upperBound))
    }
  }

  private static func withoutNewline(_ secret: Secret) -> Secret {
    secret.withRawBytes { bytes in
      var count = bytes.byteCount
      // The offsets are below the span's count.
      if count > 0, unsafe bytes.unsafeLoad(fromByteOffset: count - 1, as: UInt8.self) == 0x0A {
        count -= 1
        if count > 0, unsafe bytes.unsafeLoad(fromByteOffset: count - 1, as: UInt8.self) == 0x0D {
          count -= 1
        }
      }
      return Secret(copying: bytes.extracting(0..<count))
    }
  }
}
