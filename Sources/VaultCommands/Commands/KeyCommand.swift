import CredentialVault
import SecureMemory
import VaultModel

/// `vaultctl key`: prints a key file as one line of text.
enum KeyCommand {
  static let command = Command(
    id: .key, operands: .none, summary: "print a key file as one line of text",
    example: "vaultctl key --key-file ci.key",
    details: [
      "The text is the whole key, for a secret variable of a CI system: VAULTCTL_KEY with this text"
        + " unlocks the vault, and so does a key file that contains it. A checksum detects a text"
        + " that was cut or mistyped.",
      "The key file is the one that --key-file names, else the one that other commands use.",
    ], groups: [.common], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let found = try invocation.keyFromArguments().orFound()?.keyFileSources ?? []
    let files = found.filter { !$0.isMachineFile }
    let key = files.count > 1 ? KeySource.found(files) : files.first
    let text = try key?.firstThatOpens { (file) throws(VaultError) in try file.textOfKeyFile() }
    guard let text else {
      throw VaultError(.missingInput, "no key file is named or found: --key-file names one")
    }
    guard invocation.isJSON else {
      try invocation.output.write(text)
      try invocation.output.write(byte: UInt8(ascii: "\n"))
      return .success
    }
    try invocation.output.document { (json) throws(VaultError) in try json.field("key", text) }
    return .success
  }
}
