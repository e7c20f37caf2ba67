import CredentialVault
import VaultModel

/// `vaultctl config`: shows the settings in force, and the source of each.
enum ConfigCommand {
  static let command = Command(
    id: .config, operands: .none, summary: "show the settings in force and where they come from",
    example: "vaultctl config",
    details: [
      "Each line is a setting, its value, and its source: an option, a variable, a line of the"
        + " configuration file, or the default. Keys are listed in the order in which they are"
        + " tried; no secret is read. The file is edited by hand, or by search-list."
    ], groups: [.common], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let settings = try Setting.inForce(invocation)
    guard invocation.isJSON else {
      for setting in settings {
        try invocation.output.line("\(setting.name) = \(setting.text)  (\(setting.source.text))")
      }
      return .success
    }
    try invocation.output.document { (json) throws(VaultError) in
      if let file = VaultConfiguration.path { try json.field("file", file) }
      try json.objects("settings", settings) { (setting, json) throws(VaultError) in
        try json.field("name", setting.name)
        try json.field("value", setting.value)
        if let vault = setting.vault {
          try json.field("read_only", vault.isReadOnly)
          if let owner = vault.owner { try json.field("owner", owner) }
        }
        try json.field("source", setting.source.kind)
        if setting.source.kind != "default" { try json.field("from", setting.source.text) }
      }
    }
    return .success
  }
}

/// A setting in force: the name that the configuration has for it, or that of the option.
private struct Setting {
  enum Source {
    case option(GeneralOption)
    case variable(String)
    case line(Int)
    case standard

    var kind: String {
      switch self {
      case .option: "option"
      case .variable: "variable"
      case .line: "file"
      case .standard: "default"
      }
    }

    var text: String {
      switch self {
      case .option(let option): "--\(option.rawValue)"
      case .variable(let name): name
      case .line(let number): "\(VaultConfiguration.path ?? "the configuration"):\(number)"
      case .standard: "default"
      }
    }
  }

  let name: String
  let value: String
  let source: Source
  /// The vault of the list that the value is the path of.
  var vault: ListedVault?

  /// The value as a line of the configuration has it.
  var text: String {
    let owner = vault?.owner.map { "owner:\($0) " } ?? ""
    return (vault?.isReadOnly == true ? "read-only " : "") + owner + value
  }

  static func inForce(_ invocation: Invocation) throws(VaultError) -> [Setting] {
    let configuration = try VaultConfiguration.read()
    return try vaults(invocation, configuration) + keys(invocation, configuration)
      + [remembering(invocation, configuration)]
      + VaultConfiguration.Name.flags.map { name in
        let line = configuration?.lineNumber(of: name)
        let isSet = configuration?.flag(name) ?? (name != .dockerPrompt)
        return Setting(
          name: name.rawValue, value: isSet ? "yes" : "no",
          source: line.map { .line($0) } ?? .standard)
      }
  }

  /// Returns the vault that is written, and the list if it is not overridden.
  private static func vaults(
    _ invocation: Invocation, _ configuration: VaultConfiguration?
  ) throws(VaultError) -> [Setting] {
    if let path = invocation.vaultPath {
      return [Setting(name: "vault", value: path, source: .option(.vault))]
    }
    if let path = Environment.value("VAULTCTL_VAULT") {
      return [Setting(name: "vault", value: path, source: .variable("VAULTCTL_VAULT"))]
    }
    let vault = try VaultLocation.vault(at: nil)
    let line =
      configuration?.lineNumber(of: .default)
      ?? configuration?.lineNumber(of: .search, path: vault.path)
    let place: Source =
      line.map { .line($0) }
      ?? (Environment.value("XDG_DATA_HOME") == nil ? .standard : .variable("XDG_DATA_HOME"))
    let list = (configuration?.entries ?? []).map { entry in
      Setting(
        name: "search", value: entry.path,
        source: configuration?.lineNumber(of: .search, path: entry.path).map { .line($0) }
          ?? .standard, vault: entry)
    }
    return [Setting(name: "vault", value: vault.path, source: place)] + list
  }

  private static func remembering(
    _ invocation: Invocation, _ configuration: VaultConfiguration?
  ) throws(VaultError) -> Setting {
    let source: Source =
      if invocation.arguments.has(.remember) {
        .option(.remember)
      } else if Environment.value("VAULTCTL_REMEMBER") != nil {
        .variable("VAULTCTL_REMEMBER")
      } else {
        configuration?.lineNumber(of: .remember).map { .line($0) } ?? .standard
      }
    let time = try invocation.remembering()
    return Setting(name: "remember", value: time?.setting ?? "no", source: source)
  }

  /// Returns the keys in the order in which they are tried; the other half of what a slot needs is
  /// one of them.
  private static func keys(
    _ invocation: Invocation, _ configuration: VaultConfiguration?
  ) throws(VaultError) -> [Setting] {
    let options: [GeneralOption] = [.keyFile, .passphraseFile, .passphraseFD, .recoveryFile]
    var keys = options.compactMap { option in
      invocation.arguments.text(option).map {
        Setting(name: option.rawValue, value: $0, source: .option(option))
      }
    }
    for (variable, source) in KeySource.inEnvironment {
      switch source {
      case .keyFile(let path):
        keys.append(Setting(name: "key", value: path, source: .variable(variable)))
      case .keyVariable:
        keys.append(Setting(name: "key", value: "set", source: .variable(variable)))
      case .passphraseFile(let path):
        keys.append(Setting(name: "passphrase-file", value: path, source: .variable(variable)))
      default:
        keys.append(Setting(name: "passphrase", value: "set", source: .variable(variable)))
      }
    }
    for case .keyFile(let path) in try KeySource.inFiles() {
      let line = path == configuration?.keyFile ? configuration?.lineNumber(of: .key) : nil
      keys.append(
        Setting(name: "key", value: path, source: line.map { .line($0) } ?? .standard))
    }
    if keys.isEmpty { keys.append(Setting(name: "key", value: "none", source: .standard)) }
    return keys
  }
}
