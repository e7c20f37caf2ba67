import Glibc
import SecureMemory
import TLSCredentials
import VaultModel

/// Imports and exports an identity, and scans this process's memory at each step.
func scanIdentity(_ arguments: Arguments) throws(VaultError) {
  let patterns = MaskedPatterns(arguments["patterns"])
  say("start \(patterns.scan())")
  for name in ["pkcs12", "legacy", "pem"] {
    try use(try secret(of: arguments[name]), patterns)
    say("\(name) \(patterns.scan())")
  }
}

private func use(_ file: Secret, _ patterns: MaskedPatterns) throws(VaultError) {
  let passphrase = patterns.secret("passphrase")
  let identity = try IdentityFile(file, passphrase: passphrase).identities[0]
  for form in Identity.PKCS12Form.allCases {
    _ = try identity.pkcs12(passphrase: passphrase, form: form, iterations: 1000)
  }
  _ = identity.pem
  let vault = Vault.inMemory()
  let stored = try vault.identities.add(identity, persistence: .session).identity
  let opened = try vault.identities.open(stored)
  // The scanner has to find what is in use.
  say("used \(patterns.scan())")
  withExtendedLifetime((identity, passphrase, opened)) {}
  try vault.close()
}

/// Reads a file straight into guarded memory.
private func secret(of path: String) throws(VaultError) -> Secret {
  // Opened and closed here; the path is a C string for the call.
  let descriptor = unsafe open(path, O_RDONLY)
  defer { close(descriptor) }
  let end = lseek(descriptor, 0, SEEK_END)
  guard end > 0 else { throw VaultError(.missingInput, path) }
  return try unsafe Secret(count: end) { (memory) throws(VaultError) in
    // It reads no more than there is room for.
    guard unsafe pread(descriptor, memory.baseAddress, memory.count, 0) == end else {
      throw VaultError(.inputOutput, path)
    }
  }
}
