public import VaultReports
public import CredentialVault
import Glibc
import VaultStore
import VaultCrypto
public import VaultModel

/// The result of checking a vault and its surroundings.
public struct Diagnosis: Sendable {
  /// The vault's path, as it was named or found.
  public let path: String
  /// The results of all checks, good or not.
  public let results: [DiagnosticResult]

  /// The worst status of all results.
  public var status: DiagnosticResult.Status { results.map(\.status).max() ?? .ok }
}

extension VaultMaintenance {
  /// Checks a vault, its folder, its side files, this process and its libraries, and changes
  /// nothing.
  ///
  /// No key is needed. With one, sealed data is compared too. The user is never prompted.
  ///
  /// - Parameters:
  ///   - path: The vault's file; nil takes ``VaultLocation/find()``.
  ///   - key: The key that opens the vault; nil takes ``KeySource/find()``. Without any key, only
  ///     the outside is checked.
  /// - Returns: The results, which include everything that is wrong.
  /// - Throws: ``VaultError/Code/configuration`` if there is no path to look at.
  public static func diagnose(
    path: String? = nil, key: KeySource? = nil
  ) throws(VaultError) -> Diagnosis {
    let vault = if let path { ListedVault(path) } else { try VaultLocation.vault(at: nil) }
    return try diagnose(vault, key: key)
  }

  /// Diagnoses a vault as a list has it, as ``diagnose(path:key:)`` does.
  package static func diagnose(
    _ vault: ListedVault, key: KeySource?
  ) throws(VaultError) -> Diagnosis {
    let place = vault.path
    var results = Environment.results()
    let source = try key.orFound()
    var (keys, isFound) = ([UnlockKey](), false)
    if case .found = source { isFound = true }
    for source in source?.candidates ?? [] {
      do throws(VaultError) {
        keys.append(try source.read())
        let text = isFound ? "\(source.name) is tried" : "the key is given by \(source.name)"
        results.append(DiagnosticResult(.keySource, .ok, text))
      } catch {
        results.append(DiagnosticResult(.keySource, error, remedy: error.remedy.map(Remedy.access)))
      }
    }
    if source == nil { results.append(DiagnosticResult(.keySource, .ok, "no key is given")) }
    for path in source?.keyFiles ?? [] { results += DiagnosticResult.folders(above: path) }
    let diagnostics = Diagnostics(
      of: place, role: try vault.role(), stateFolder: VaultLocation.stateFolder(),
      key: isFound ? nil : keys.first, found: isFound ? keys : [])
    results.append(KeyringState.current().result)
    return Diagnosis(path: place, results: diagnostics.results + results)
  }
}

extension DiagnosticResult {
  /// Returns the problems with the folders above a key file: whoever can change one can put another
  /// file in its place.
  fileprivate static func folders(above path: String) -> [DiagnosticResult] {
    FolderCheck.foreign(above: path).map { folder in
      DiagnosticResult(
        .keySource,
        VaultError(
          .unsafePermissions,
          "\(folder), above the key file, belongs to another user, who could put another there"
        ), remedy: .access(.takeOwnership(path: folder, of: .folder)))
    }
      + FolderCheck.shared(above: path).map { folder in
        DiagnosticResult(
          .keySource, .warning,
          "\(folder), above the key file, can be written by others: they could put another there",
          remedy: .access(.removeWriteAccess(path: folder, from: .groupAndOthers)))
      }
  }
}

extension KeySource {
  /// The files that hold a key.
  package var keyFiles: [String] {
    switch self {
    case .keyFile(let path), .passphraseFile(let path), .recoveryFile(let path): [path]
    case .both(let first, let second): first.keyFiles + second.keyFiles
    case .found(let sources): sources.flatMap(\.keyFiles)
    default: []
    }
  }

  /// The sources that are tried one after the other.
  fileprivate var candidates: [KeySource] {
    if case .found(let sources) = self { sources } else { [self] }
  }

  /// The source in words for people; it reveals nothing of the key.
  fileprivate var name: String {
    switch self {
    case .keyFile(let path): "the key file \(path)"
    case .keyText: "a key's text"
    case .keyVariable(let name): "the key in the variable \(name)"
    case .passphrase: "a passphrase"
    case .passphraseFile(let path): "the passphrase in \(path)"
    case .passphraseDescriptor(let number): "the passphrase from descriptor \(number)"
    case .passphraseVariable(let name): "the passphrase in the variable \(name)"
    case .askedPassphrase: "a passphrase that is asked for"
    case .both(let first, let second): "\(first.name), and with it \(second.name)"
    case .found(let sources): sources.map(\.name).joined(separator: ", or ")
    case .recoveryCode: "a recovery code"
    case .recoveryFile(let path): "the recovery code in \(path)"
    }
  }
}

extension KeyringState {
  /// Whether the kernel can remember a key of this user.
  fileprivate var result: DiagnosticResult {
    let check = DiagnosticResult.Check.rememberedKeys
    switch self {
    case .works(nil):
      return DiagnosticResult(check, .ok, "the kernel can remember keys of this user")
    case .works(let quota?):
      let text =
        "\(quota.keys) of \(quota.mostKeys) keys and \(quota.bytes) of \(quota.mostBytes) bytes that the"
        + " kernel keeps for this user are in use"
      // The key with its name, and the keyrings by which it is reached.
      let isFull = quota.mostKeys - quota.keys < 4 || quota.mostBytes - quota.bytes < 512
      return isFull
        ? DiagnosticResult(check, .warning, "\(text): another key may not fit")
        : DiagnosticResult(check, .ok, text)
    case .refused(let error):
      return DiagnosticResult(
        check, error.code == .outOfMemory ? .warning : .note,
        "\(error.text); no key is remembered")
    }
  }
}

extension Environment {
  /// Returns the problems with the variables that are set; called before any of them is taken.
  fileprivate static func results() -> [DiagnosticResult] {
    ["VAULTCTL_PASSPHRASE", "VAULTCTL_KEY"].filter { value($0) != nil }.map { name in
      DiagnosticResult(
        .environment, .warning,
        "\(name) is set: root, this user's programs and anyone who logs environments can read it",
        remedy: .setKeyFile)
    }
  }
}

extension LinkedLibrary {
  /// The libraries of a vault.
  package static var ofVault: [LinkedLibrary] { [.sodium, .sqlite, .idn2, .glibc] }
}
