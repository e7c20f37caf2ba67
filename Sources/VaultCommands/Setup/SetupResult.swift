import VaultTerminal
import VaultAdministration
import VaultModel
import VaultStore

/// The result of one check of doctor, with the words to try: of the library's checks, and of those
/// of the programs that use the vault.
struct SetupResult {
  let check: String
  let status: DiagnosticResult.Status
  let text: String
  var hint: String?
  var code: VaultError.Code?

  init(_ result: DiagnosticResult) {
    (check, status, text) = (result.check.rawValue, result.status, result.text)
    (hint, code) = (result.remedy.map(RemedyText.text), result.code)
  }

  init(
    _ check: String, _ status: DiagnosticResult.Status, _ text: String, hint: String? = nil
  ) {
    (self.check, self.status, self.text, self.hint) = (check, status, text, hint)
  }

  /// Checks the other vaults of the user's list, each of which a lookup opens.
  ///
  /// - Parameter path: The one that was looked at.
  /// - Returns: A result for each other one.
  static func list(without path: String) -> [SetupResult] {
    do throws(VaultError) {
      let others = try VaultLocation.list([]).vaults.filter { $0.path != path }
      return others.map { other in
        do throws(VaultError) {
          try Vault.openLocked(other).close()
          return SetupResult("search-list", .ok, "\(other.path) is listed, and can be opened")
        } catch {
          return SetupResult(
            error, "search-list", other.path,
            hint: "vaultctl search-list remove \(Hint.quoted(other.path)),"
              + " if it is not needed")
        }
      }
    } catch {
      return [SetupResult(error, "search-list", nil, hint: nil)]
    }
  }

  private init(_ error: VaultError, _ check: String, _ path: String?, hint: String?) {
    (self.check, status, code, self.hint) = (check, .problem, error.code, hint)
    text = path.map { error.text.contains($0) ? error.text : "\($0): \(error.text)" } ?? error.text
  }

  /// Checks the programs that use the vault, and the place of its key file.
  ///
  /// - Parameters:
  ///   - path: The vault's.
  ///   - key: The key that the arguments name; nil takes the one that is found.
  /// - Returns: A result for each program that is installed, and a warning if a key is misplaced.
  static func all(for path: String, key: KeySource?) -> [SetupResult] {
    keyPlaces(path, key)
      + [git, docker, BackupResult.systemd(for: path), shell, secretService].compactMap { $0 }
  }

  // MARK: The key file

  private static func keyPlaces(_ vault: String, _ key: KeySource?) -> [SetupResult] {
    do throws(VaultError) {
      let folder = try VaultLocation.folder(of: vault)
      let source = try key.orFound()
      var results: [SetupResult] = []
      for path in source?.keyFiles ?? [] where KeyFile.isPresent(at: path) {
        guard try VaultLocation.folder(of: path) == folder else { continue }
        results.append(
          SetupResult(
            "key-place", .warning,
            "\(path) is beside the vault: a copy of the folder opens itself",
            hint: KeyFile.defaultPath.map { "mv \(Hint.quoted(path)) \(Hint.quoted($0))" }))
      }
      return results
    } catch {
      // The checks of the vault and of its key have said it.
      return []
    }
  }

  // MARK: Programs

  private static var git: SetupResult? {
    guard InstalledProgram.path(of: "git") != nil else { return nil }
    return result("git", GitSetup(), helper: GitSetup.helper)
  }

  private static var docker: SetupResult? {
    do throws(VaultError) {
      let setup = try DockerSetup()
      let isConfigured = try setup.file.read() != nil
      guard isConfigured || InstalledProgram.path(of: "docker") != nil else { return nil }
      return result("docker", setup, helper: DockerSetup.helper)
    } catch {
      return SetupResult("docker", .warning, error.context)
    }
  }

  /// Checks the startup file of the shell in `$SHELL`.
  private static var shell: SetupResult? {
    guard let shell = Environment.value("SHELL")?.split(separator: "/").last else { return nil }
    do throws(VaultError) {
      let setup = try ShellSetup()
      guard try setup.isApplied() else {
        return try setup.isPresent()
          ? SetupResult(
            "shell", .warning, "\(shell) has other variables of vaultctl than are set now",
            hint: "vaultctl setup shell --apply")
          : SetupResult(
            "shell", .note, "\(shell) does not have the completions",
            hint: "vaultctl setup shell --apply")
      }
      guard InstalledProgram.path(of: "vaultctl") != nil else {
        return SetupResult(
          "shell", .warning, "\(shell) has no completions while vaultctl is not on the PATH")
      }
      return SetupResult("shell", .ok, "\(shell) has the completions")
    } catch {
      // A shell without completions, or a file that its user changed, is not a fault.
      return error.code == .unsupported
        ? nil : SetupResult("shell", error.code == .conflict ? .note : .warning, error.context)
    }
  }

  /// Asks the service's program, because only it speaks with the bus, who has the name there.
  private static var secretService: SetupResult? {
    let (check, program) = ("secret-service", SecretServiceSetup.program)
    do throws(VaultError) {
      let isApplied = try SecretServiceSetup().isApplied()
      guard InstalledProgram.path(of: program) != nil else {
        guard isApplied else { return nil }
        return SetupResult(
          check, .warning, "the session bus starts \(program), which is not on the PATH")
      }
      let (status, output) = try ChildProcess.run([program, "--owner"])
      let line = output.text.filter { $0 != "\n" }
      let owner = line.isEmpty ? "an unknown program" : line
      if status == 0, owner.split(separator: "/").last.map(String.init) != program {
        return SetupResult(
          check, isApplied ? .warning : .note, "\(SecretServiceSetup.name) belongs to \(owner)")
      }
      guard isApplied else {
        return SetupResult(
          check, .note, "the session bus does not start \(program)",
          hint: "vaultctl setup secret-service --apply")
      }
      let state =
        switch status {
        case 0: "has the name \(SecretServiceSetup.name)"
        case 44: "is started by the session bus when it is needed"
        default: "is set up, and there is no session bus here"
        }
      return SetupResult(check, .ok, "\(program) \(state)")
    } catch {
      return SetupResult(check, .warning, error.context)
    }
  }

  private static func result(
    _ program: String, _ setup: any Setup, helper: String
  ) -> SetupResult {
    do throws(VaultError) {
      guard try setup.isApplied() else {
        return SetupResult(
          program, .note, "\(program) is not set up to use the vault",
          hint: "vaultctl setup \(program) --apply")
      }
      guard InstalledProgram.path(of: helper) != nil else {
        return SetupResult(
          program, .warning, "\(program) runs \(helper), which is not on the PATH",
          hint: "link it to vaultctl in a folder of the PATH")
      }
      return SetupResult(program, .ok, "\(program) uses the vault, by \(helper)")
    } catch {
      // Another store of the user's choice is not a fault.
      return SetupResult(
        program, error.code == .cannotCreate ? .note : .warning, error.context)
    }
  }
}
