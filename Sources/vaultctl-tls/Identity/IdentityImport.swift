import CredentialVault
import SecureMemory
import TLSCredentials
import VaultCommands
import VaultModel

/// `vaultctl identity import`: stores the identities of files.
enum IdentityImport {
  static func run(_ files: [String], _ invocation: Invocation) throws(VaultError) {
    let arguments = invocation.arguments
    let place = try IdentityPlace(arguments)
    let file = try read(files, invocation)
    guard place.name.isEmpty || file.identities.count == 1 else {
      throw VaultError(
        .invalidArgument, "-a names one identity, and the file has \(file.identities.count)")
    }
    guard !arguments.has(.dryRun) else { return try report(file, invocation) }
    let vault = try invocation.openVault()
    try place.require(in: vault)
    let before = try vault.identities.findAll()
    var stored: [StoredIdentity] = []
    for identity in file.identities {
      let result = try place.storing(in: vault, invocation) { (known) throws(VaultError) in
        guard let known else {
          return try vault.identities.add(
            identity, for: place.space, name: place.name, persistence: place.persistence)
        }
        return try vault.identities.replace(known, with: identity)
      }
      stored.append(result)
    }
    try invocation.write(stored, verb: "imported ")
    try hint(at: stored, among: before, invocation)
    try warn(of: file, invocation)
  }

  /// Says which identities were there already, under another name or for another server.
  private static func hint(
    at stored: [StoredIdentity], among before: [StoredIdentity], _ invocation: Invocation
  ) throws(VaultError) {
    guard !invocation.isQuiet, !invocation.isJSON else { return }
    for identity in stored {
      let same = before.first { other in
        other.id != identity.id && other.certificate.fingerprint == identity.certificate.fingerprint
      }
      guard let same else { continue }
      try invocation.hint(
        "the vault already had this certificate; vaultctl identity remove \(ItemText.id(same.id))"
          + " removes the other copy")
    }
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

  // MARK: Output

  /// Says what a file has, which is not stored.
  private static func report(
    _ file: IdentityFile, _ invocation: Invocation
  ) throws(VaultError) {
    if invocation.isJSON {
      try invocation.output.document { (json) throws(VaultError) in
        try json.objects("identities", file.identities) { (identity, json) throws(VaultError) in
          try json.field("name", identity.label)
          try json.field("certificates", [identity.certificate] + identity.chain)
        }
        try json.field("other_certificates", file.certificates)
      }
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

/// `vaultctl identity import --key`: stores certificates whose key is in a token.
enum TokenImport {
  static func run(_ files: [String], _ invocation: Invocation) throws(VaultError) {
    let place = try IdentityPlace(invocation.arguments)
    let pin = try FilePassphrase(invocation).named
    let key = try invocation.arguments.parsed(.key) { (uri) throws(VaultError) in
      try KeyReference(uri: uri, pin: pin)
    }
    guard let key else { throw VaultError(.invalidArgument, "--key needs a URI") }
    var certificates: [Certificate] = []
    for (index, path) in files.enumerated() {
      certificates += try Certificate.all(in: InputFile.read(path, "FILE \(index + 1)").bytes)
    }
    guard !invocation.arguments.has(.dryRun) else {
      throw VaultError(.invalidArgument, "--dry-run and --key exclude each other")
    }
    let vault = try invocation.openVault()
    try place.require(in: vault)
    let stored = try place.storing(in: vault, invocation) { (known) throws(VaultError) in
      guard let known else {
        return try vault.identities.add(
          certificates, key: key, for: place.space, name: place.name,
          persistence: place.persistence)
      }
      return try vault.identities.replace(known, with: certificates, key: key)
    }
    try invocation.write([stored], verb: "imported ")
  }
}
