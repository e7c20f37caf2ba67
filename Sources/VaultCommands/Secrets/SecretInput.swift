import CredentialVault
import Glibc
package import SecureMemory
public import VaultModel
import VaultTerminal

/// Reads secrets from descriptors straight into secret memory.
package enum SecretInput {
  /// The maximum that is read; an item's secret has at most 1 MiB.
  package static let limit = (1 << 20) + 2

  /// Reads to the end of the input, or until `isEnough` holds.
  ///
  /// - Throws: ``VaultError/Code/tooLarge`` beyond the limit; any error of
  ///   ``Descriptor/read(into:from:until:)``.
  package static func readAll(
    from descriptor: Int32, limit: Int = limit,
    until isEnough: (RawSpan) -> Bool = { _ in false }
  ) throws(VaultError) -> Secret {
    var filled = 0
    var buffer = try unsafe Secret(count: 4096) { memory throws(VaultError) in
      filled = try unsafe Descriptor.read(into: memory, from: descriptor, until: isEnough)
    }
    while filled == buffer.count {
      guard buffer.count <= limit else {
        throw VaultError(.tooLarge, "the input is larger than \(limit) bytes")
      }
      let full = buffer
      let count = full.count
      // The new memory is longer than the old, whose bytes go to its start.
      buffer = try unsafe Secret(count: count * 4) { memory throws(VaultError) in
        full.withRawBytes { bytes in
          unsafe bytes.withUnsafeBytes { unsafe memory.copyMemory(from: $0) }
        }
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[count...])
        filled = try unsafe count + Descriptor.read(into: rest, from: descriptor, until: isEnough)
      }
    }
    guard filled <= limit else {
      throw VaultError(.tooLarge, "the input is larger than \(limit) bytes")
    }
    return buffer.prefix(filled)
  }

  /// Returns the secret without one line feed, or carriage return and line feed, at its end.
  package static func withoutLineEnd(_ secret: Secret) -> Secret {
    let count = secret.withRawBytes { bytes in
      // The buffer is valid inside the closure; the indices are below its count.
      unsafe bytes.withUnsafeBytes { buffer in
        var count = buffer.count
        if count > 0, unsafe buffer[count - 1] == UInt8(ascii: "\n") {
          count -= 1
          if count > 0, unsafe buffer[count - 1] == UInt8(ascii: "\r") { count -= 1 }
        }
        return count
      }
    }
    return secret.prefix(count)
  }
}

/// Reading of a new passphrase and its Argon2id cost.
extension Invocation {
  /// Returns the cost that `--kdf` names; if nil, it is measured on the machine.
  func costFromArguments() throws(VaultError) -> PassphraseCost? {
    try arguments.parsed(.kdf, as: Values.cost)
  }

  /// Returns the new passphrase that the arguments name, nil if the user is to be prompted.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for a terminal, or for the descriptor that the
  ///   present passphrase comes from.
  func newPassphraseFromArguments() throws(VaultError) -> KeySource? {
    if let path = arguments.text(.newPassphraseFile) { return .passphraseFile(path) }
    let new = try arguments.parsed(.newPassphraseFD, as: Values.descriptor)
    let old = try arguments.parsed(.passphraseFD, as: Values.descriptor)
    guard new == nil || new != old else {
      throw VaultError(
        .invalidArgument, "the old and the new passphrase cannot come from one descriptor")
    }
    return try passphraseDescriptor(.newPassphraseFD)
  }

  /// Prompts for a new passphrase, twice.
  ///
  /// - Throws: ``VaultError/Code/missingInput`` if nobody can be asked.
  func askNewPassphrase() throws(VaultError) -> KeySource {
    let path = try absolutePath()
    guard mayPrompt, let terminal = Terminal() else {
      throw VaultError(
        .missingInput,
        "there is no terminal to ask for the new passphrase on (give it with --new-passphrase-file)"
      )
    }
    let passphrase = try terminal.newSecret(prompt: "New passphrase for \(path): ")
    try advise(on: passphrase)
    return .passphrase(passphrase)
  }

  /// Returns the path of the vault that is named, else of the default one; nothing need be there.
  ///
  /// - Throws: As ``VaultLocation/find()``.
  public func absolutePath() throws(VaultError) -> String {
    if let path = vaultPath { return path }
    return try VaultLocation.find()
  }
}
