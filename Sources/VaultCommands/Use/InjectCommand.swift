import CredentialVault
import Glibc
import SecureMemory
import VaultModel

/// `vaultctl inject`: fills a template with secrets.
enum InjectCommand {
  static let command = Command(
    id: .inject, operands: .none, summary: "fill a template with secrets",
    example: "vaultctl inject -i app.conf.in -o app.conf",
    details: [
      "{{ vault \"REF\" }} in the template stands for an item's secret, {{ vault \"REF\""
        + " \"account\" }} for another field: \(SecretReference.fields.joined(separator: ", ")).",
      "The secrets are put in as they are, without quotation marks of the template's language. If"
        + " one fails, nothing is written. A template has at most 1 MiB and 1000 places, and the"
        + " result 16 MiB. There is no --json: the output is the filled template.",
    ],
    groups: [
      OptionGroup(
        heading: "Files",
        options: [
          Option(.input, "i", .file, "the template (default, and -: standard input)"),
          Option(
            .output, "o", .file,
            "the result, mode 0600, which replaces the file at once (default, and -: standard output)"
          ),
          Option(.force, nil, .none, "write to a terminal even what is not text"),
        ]), .freshness, .commonOfHelpers,
    ], takesSeveralVaults: true, run: run)

  private static let largestResult = 16 << 20

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let arguments = invocation.arguments
    let pieces = try Template(read(arguments)).pieces
    let vaults = try invocation.prompting("inject").openList()
    let result = try fill(pieces, from: vaults, invocation)
    if let path = named(.output, arguments) {
      try OutputFile.replace(
        path, with: result, sparing: filesInUse(arguments) + vaults.vaults.compactMap(\.path))
    } else {
      for piece in result { try invocation.checkPrintable(piece) }
      for piece in result { try invocation.output.write(piece) }
    }
    return .success
  }

  /// Returns the files that the command reads, and the key files that others find.
  private static func filesInUse(_ arguments: Arguments) throws(VaultError) -> [String] {
    let options: [GeneralOption] = [.input, .keyFile, .passphraseFile, .recoveryFile]
    let sources = try KeySource.inEnvironment.map(\.source) + KeySource.inFiles()
    return ["/dev/stdin"] + options.compactMap(arguments.text)
      + sources.compactMap { source in
        switch source {
        case .keyFile(let path), .passphraseFile(let path): path
        default: nil
        }
      }
  }

  /// Returns the file that an option names; nil for `-`, a standard stream, as without the option.
  private static func named(_ option: GeneralOption, _ arguments: Arguments) -> String? {
    arguments.text(option).flatMap { $0 == "-" ? nil : $0 }
  }

  private static func read(_ arguments: Arguments) throws(VaultError) -> Secret {
    guard let path = named(.input, arguments) else {
      guard isatty(STDIN_FILENO) != 1 else {
        throw VaultError(.invalidArgument, "the template is read from a file: --input FILE")
      }
      return try SecretInput.readAll(from: STDIN_FILENO, limit: 1 << 20)
    }
    // The path is copied for the call.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else {
      throw VaultError(.missingInput, "--input", underlying: .errno(errno))
    }
    defer { close(descriptor) }
    return try SecretInput.readAll(from: descriptor, limit: 1 << 20)
  }

  /// Returns the pieces with their secrets; each reference is opened once.
  private static func fill(
    _ pieces: [Template.Piece], from vaults: VaultList, _ invocation: Invocation
  ) throws(VaultError) -> [Secret] {
    var known: [SecretReference: Secret] = [:]
    var result: [Secret] = []
    var count = 0
    for piece in pieces {
      let secret: Secret
      switch piece {
      case .text(let text): secret = text
      case .secret(let reference, let line):
        if let found = known[reference] {
          secret = found
        } else {
          do throws(VaultError) {
            secret = try vaults.secret(of: reference, invocation)
          } catch {
            throw error.preceded(by: "line \(line)")
          }
          known[reference] = secret
        }
      }
      count += secret.count
      guard count <= largestResult else {
        throw VaultError(.tooLarge, "the result is larger than \(largestResult) bytes")
      }
      result.append(secret)
    }
    return result
  }
}
