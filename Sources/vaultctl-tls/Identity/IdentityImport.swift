import CredentialVault
import SecureMemory
import TLSCredentials
import VaultCommands
import VaultModel

/// `vaultctl identity import`: stores the identities of files.
enum IdentityImport {
  static func run(_ files: [String], _ invocation: Invocation) throws(VaultError) {
    let arguments = invocation.arguments
    let space = try arguments.parsed(.url) { (url) throws(VaultError) in
      try ProtectionSpace(url: url, authenticationMethod: .clientCertificate)
    }
    let persistence = try arguments.parsed(.persistence, as: Values.persistence) ?? .permanent
    guard persistence > .none else {
      throw VaultError(.invalidArgument, "--persistence: not session or permanent")
    }
    let file = try read(files, invocation)
    let name = arguments.text(.account) ?? ""
    guard name.isEmpty || file.identities.count == 1 else {
      throw VaultError(
        .invalidArgument, "-a names one identity, and the file has \(file.identities.count)")
    }
    guard !arguments.has(.dryRun) else { return try report(file, invocation) }
    let vault = try invocation.openVault()
    if persistence == .session { try AddCommand.requireSharedSession(of: vault) }
    var stored: [StoredIdentity] = []
    for identity in file.identities {
      let result = try store(identity, for: space, name, persistence, in: vault, invocation)
      stored.append(result.identity)
    }
    try invocation.write(stored, verb: "imported ")
    try warn(of: file, invocation)
  }

  private static func read(
    _ paths: [String], _ invocation: Invocation
  ) throws(VaultError) -> IdentityFile {
    var contents: [Secret] = []
    for (index, path) in paths.enumerated() {
      contents.append(try InputFile.read(path, "FILE \(index + 1)"))
    }
    let name = paths[0] == "-" ? "standard input" : paths[0]
    return try FilePassphrase(invocation).opening(name) { (passphrase) throws(VaultError) in
      try IdentityFile(contents, passphrase: passphrase)
    }
  }

  /// Adds an identity, or replaces the one of the same name if that is wanted.
  private static func store(
    _ identity: Identity, for space: ProtectionSpace?, _ name: String,
    _ persistence: Persistence, in vault: Vault, _ invocation: Invocation
  ) throws(VaultError) -> IdentityStoreResult {
    let result: IdentityStoreResult
    do throws(VaultError) {
      result = try vault.identities.add(
        identity, for: space, name: name, persistence: persistence)
    } catch {
      guard error.code == .duplicateItem, invocation.arguments.has(.update),
        let known = error.items.first
      else { throw error }
      result = try vault.identities.replace(try StoredIdentity(known), with: identity)
    }
    _ = try result.stored.kept(in: vault)
    return result
  }

  // MARK: Output

  /// Says what a file has, which is not stored.
  private static func report(
    _ file: IdentityFile, _ invocation: Invocation
  ) throws(VaultError) {
    if invocation.isJSON {
      var json = JSONWriter(invocation.output)
      try json.beginObject()
      try json.field("ok", true)
      try json.name("identities")
      try json.beginArray()
      for identity in file.identities {
        try json.beginObject()
        try json.field("name", identity.label)
        try json.field("certificates", [identity.certificate] + identity.chain)
        try json.endObject()
      }
      try json.endArray()
      try json.field("other_certificates", file.certificates)
      try json.endObject()
      try json.finish()
    } else {
      for identity in file.identities {
        let label = identity.label.isEmpty ? "-" : ItemText.quoted(identity.label)
        try invocation.output.line("identity \(label)  \(identity.certificate.subject)")
        for (name, value) in identity.certificate.facts {
          try invocation.output.line("   \(name): \(value)")
        }
        for issuer in identity.chain {
          try invocation.output.line("   chain: \(issuer.subject)")
        }
      }
      for certificate in file.certificates {
        try invocation.output.line("certificate  \(certificate.subject)")
      }
    }
    try warn(of: file, invocation)
  }

  private static func warn(
    of file: IdentityFile, _ invocation: Invocation
  ) throws(VaultError) {
    if file.keysWithoutCertificate > 0 {
      try invocation.warn(
        "\(file.keysWithoutCertificate) of the keys have no certificate, and are left out")
    }
    for identity in file.identities where identity.notAfter < Clock.now() {
      try invocation.warn("\(identity.certificate.subject) has expired")
    }
  }
}
