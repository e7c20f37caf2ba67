import CredentialVault

// The vault and key that vaultctl finds too: VAULTCTL_VAULT, VAULTCTL_KEY_FILE, the usual folders.
let vault = try Vault.open()
let space = try ProtectionSpace(url: CommandLine.arguments.last ?? "", realm: "Team Git")

for credential in try vault.credentials(for: space) {
  let length = credential.secret.withBytes { bytes in bytes.count }
  print("\(credential.user) in \(space), secret of \(length) bytes")
}
