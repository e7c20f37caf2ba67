import CredentialVault
import SecureMemory
import TLSCredentials
import VaultCommands
import VaultModel

/// `vaultctl identity export`: writes an identity as a file for another program.
enum IdentityExport {
  static func run(
    _ reference: String, to path: String?, _ invocation: Invocation
  ) throws(VaultError) {
    let form = try invocation.arguments.parsed(.format, as: Self.form) ?? .pkcs12
    let file = try invocation.newFile(path, holding: form == .chain ? nil : "the key")
    let vault = try invocation.openVault()
    let stored = try vault.identities.named(reference)
    let content = try content(of: stored, form, in: vault, path, invocation)
    guard let file else { return try invocation.output.write(content) }
    try content.withRawBytes { bytes throws(VaultError) in try file.write(bytes) }
    try file.publish()
    try invocation.write([stored], verb: "exported ")
  }

  private static func form(_ text: String) throws(VaultError) -> IdentityCommand.ExportForm {
    guard let form = IdentityCommand.ExportForm(rawValue: text) else {
      let all = IdentityCommand.ExportForm.allCases.map(\.rawValue).joined(separator: ", ")
      throw VaultError(.invalidArgument, "a form is one of \(all)")
    }
    return form
  }

  private static func content(
    of stored: StoredIdentity, _ form: IdentityCommand.ExportForm, in vault: Vault,
    _ path: String?, _ invocation: Invocation
  ) throws(VaultError) -> Secret {
    switch form {
    case .chain:
      return Secret(([stored.certificate] + stored.chain).map(\.pem).joined())
    case .pem:
      return try invocation.open(stored, in: vault).pem
    case .pkcs12, .compatible:
      let identity = try invocation.open(stored, in: vault)
      let passphrase = try FilePassphrase(invocation).new(path ?? "standard output")
      return try identity.pkcs12(
        passphrase: passphrase, form: form == .pkcs12 ? .modern : .compatible)
    }
  }
}
