import CredentialVault
import SecureMemory
import VaultModel

/// `vaultctl key`: prints a key file as one line of text.
enum KeyCommand {
  static let command = Command(
    id: .key, operands: .none, summary: "print a key file as one line of text",
    details: [
      "The text is the whole key, for a secret variable of a CI system: VAULTCTL_KEY with this text"
        + " unlocks the vault, and so does a key file that contains it. A checksum detects a text"
        + " that was cut or mistyped.",
      "The key file is the one that --key-file names, else the one that other commands use.",
    ], groups: [.common], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let text = try invocation.keyFileInUse().textOfKeyFile()
    guard invocation.isJSON else {
      try invocation.output.write(text)
      try invocation.output.write(byte: UInt8(ascii: "\n"))
      return .success
    }
    var json = JSONWriter(invocation.output)
    try json.beginObject()
    try json.field("ok", true)
    try json.field("key", text)
    try json.endObject()
    try json.finish()
    return .success
  }
}

extension Invocation {
  /// Returns the key file that other commands use.
  ///
  /// - Throws: ``VaultError/Code/missingInput`` if the key is not one, or there is none.
  fileprivate func keyFileInUse() throws(VaultError) -> KeySource {
    var sources: [KeySource] = []
    switch try keyFromArguments().orFound() {
    case .found(let found): sources = found
    case .both(let first, let second): sources = [first, second]
    case let source?: sources = [source]
    case nil: break
    }
    guard let file = sources.first(where: \.isKeyFile) else {
      throw VaultError(.missingInput, "no key file is named or found: --key-file names one")
    }
    return file
  }
}
