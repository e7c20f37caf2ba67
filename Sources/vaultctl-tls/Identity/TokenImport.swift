import CredentialVault
import SecureMemory
import TLSCredentials
import VaultCommands
import VaultModel

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
