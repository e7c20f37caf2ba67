import CredentialVault
import Glibc
import VaultModel

/// `vaultctl init`: makes a vault.
enum InitCommand {
  static let command = Command(
    id: .initialize, operands: .none, summary: "make a new vault",
    details: [
      "The vault opens with the key file that --key-file or VAULTCTL_KEY_FILE names, which is made"
        + " if it is missing; with the passphrase that another option or variable gives; or with"
        + " one that is asked for, twice."
    ],
    groups: [.common], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    // Before anything is made or asked: `create` looks too, but only later.
    let path = try path(invocation)
    var status = stat()
    // The structure is ours.
    guard unsafe lstat(path, &status) != 0 else {
      throw VaultError(.vaultExists, "\(path) exists already")
    }
    var madeKeyFile: String?
    let key: KeySource
    if let file = invocation.arguments.text(.keyFile) ?? Environment.value("VAULTCTL_KEY_FILE"),
      !invocation.namesPassphrase
    {
      if !KeyFile.isPresent(at: file) {
        try KeyFile.create(at: file)
        madeKeyFile = file
      }
      key = .keyFile(file)
    } else if let named = try invocation.keyFromArguments() {
      key = named
    } else if let found = KeySource.find() {
      key = found
    } else {
      guard invocation.mayPrompt, let terminal = Terminal() else {
        throw VaultError(.locked, "no key was given and there is no terminal to ask on")
      }
      key = try .passphrase(terminal.newSecret(prompt: "New passphrase for \(path): "))
    }
    let vault = try Vault.create(path: path, key: key)
    try write(vault.path ?? path, madeKeyFile, invocation)
    return .success
  }

  private static func path(_ invocation: Invocation) throws(VaultError) -> String {
    if let path = invocation.vaultPath { return path }
    return try VaultLocation.find()
  }

  private static func write(
    _ path: String, _ madeKeyFile: String?, _ invocation: Invocation
  ) throws(VaultError) {
    if invocation.isJSON {
      var json = JSONWriter(invocation.output)
      try json.beginObject()
      try json.field("ok", true)
      try json.field("path", path)
      if let madeKeyFile { try json.field("key_file", madeKeyFile) }
      try json.endObject()
      try json.finish()
    } else if !invocation.isQuiet {
      if let madeKeyFile { try invocation.output.line("created key file \(madeKeyFile)") }
      try invocation.output.line("created \(path)")
    }
  }
}

extension Invocation {
  /// Whether the arguments name a passphrase, which stands above a variable's key file.
  fileprivate var namesPassphrase: Bool {
    !arguments.has(.keyFile) && (arguments.has(.passphraseFile) || arguments.has(.passphraseFD))
  }
}
