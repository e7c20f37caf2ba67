import VaultAdministration
import Glibc
import SecureMemory
import VaultModel
import VaultTerminal

/// `vaultctl init`: creates a vault.
enum InitCommand {
  static let command = Command(
    id: .initialize, operands: .none, summary: "create a new vault",
    example: "vaultctl init --with-key-file",
    details: [
      "On a terminal, init prompts for a passphrase, twice; an empty one is refused. With"
        + " --with-key-file, or without a terminal, the vault opens with the default key file,"
        + " which every later command and program finds: default.key in the configuration's folder"
        + " (~/.config/vaultctl). It is created if it is missing, never replaced, and never beside"
        + " the vault.",
      "A key that is named comes first: by an option, a variable, or the configuration. Options"
        + " override variables, and the variable of a key file overrides the others. A key file"
        + " that is named is created if it is missing.",
      "With --both, the vault opens with a passphrase and a key file together, and with neither"
        + " alone. The key file is the default one if none is named.",
      "Trying a passphrase costs about 0.5 s on this machine, unless --kdf says otherwise. With"
        + " --recovery, the vault also opens with a recovery code, which is printed once.",
    ],
    groups: [
      OptionGroup(
        heading: "What opens it",
        options: [
          Option(.withKeyFile, nil, .none, "the default key file, and no passphrase"),
          Option(.both, nil, .none, "a passphrase and a key file together, and neither alone"),
          Option(.recovery, nil, .none, "a recovery code as well, which is printed once"),
          OptionGroup.kdf,
        ]), .commonOfInit,
    ], hints: { _ in [.cannotCreate: "--key-file and --vault name other places"] }, run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    var cost = try invocation.costFromArguments()
    try invocation.requireOneNewKey()
    // Checked before anything is created or asked for: `create` checks too, but only later.
    try invocation.requireWritablePlace()
    let path = try invocation.absolutePath()
    guard !path.hasSuffix("/") else {
      throw VaultError(.invalidArgument, "\(path) names no file")
    }
    var status = stat()
    // The structure is ours.
    guard unsafe lstat(path, &status) != 0 else {
      throw VaultError(.vaultExists, "\(path) exists already")
    }
    let (key, madeKeyFile) = try newKey(for: path, invocation)
    if key.hasPassphrase, cost == nil { cost = try VaultKeys.calibratedCost() }
    let code = invocation.arguments.has(.recovery) ? VaultKeys.newRecoveryCode() : nil
    let start = ContinuousClock.now
    let vault: Vault
    do throws(VaultError) {
      vault = try Vault.create(path: path, key: key, cost: cost, recoveryCode: code)
    } catch {
      // A key file of no vault; nothing depends on its removal. The path is a C string.
      if let madeKeyFile, unsafe lstat(path, &status) != 0, errno == ENOENT {
        _ = unsafe unlink(madeKeyFile)
      }
      throw error
    }
    let text = cost.map { SlotText.cost($0, ContinuousClock.now - start) }
    try write(
      Answer(
        path: vault.path ?? path, keyFile: key.keyFilePath, isNewKeyFile: madeKeyFile != nil,
        cost: cost, costText: text, code: code),
      invocation)
    return .success
  }

  /// Returns the key that will open the vault, and the path of the key file that was created for
  /// it.
  private static func newKey(
    for path: String, _ invocation: Invocation
  ) throws(VaultError) -> (key: KeySource, madeFile: String?) {
    let file = invocation.arguments.text(.keyFile) ?? Environment.value("VAULTCTL_KEY_FILE")
    if invocation.arguments.has(.both) { return try newKeyOfBoth(file, for: path, invocation) }
    if let file, !invocation.namesOtherKey, !invocation.arguments.has(.withKeyFile) {
      guard !invocation.arguments.has(.kdf) else { throw noPassphrase }
      guard !KeyFile.isPresent(at: file) else { return (.keyFile(file), nil) }
      try KeyFile.create(at: file)
      return (.keyFile(file), file)
    }
    if let key = try named(invocation) {
      if case .keyFile(let path) = key, !KeyFile.isPresent(at: path) {
        try KeyFile.create(at: path)
        return (key, path)
      }
      guard key.hasPassphrase || !invocation.arguments.has(.kdf) else { throw noPassphrase }
      return (key, nil)
    }
    guard !invocation.arguments.has(.withKeyFile), invocation.mayPrompt, let terminal = Terminal()
    else {
      // A cost is meant for a passphrase, which nobody can be asked for.
      guard !invocation.arguments.has(.kdf) else {
        throw invocation.arguments.has(.withKeyFile) ? noPassphrase : noTerminal
      }
      let made = try KeyFile.makeDefault(for: path)
      return (.keyFile(made.path), made.isNew ? made.path : nil)
    }
    try terminal.show(
      "Every use of the vault will ask for this passphrase, unless vaultctl unlock keeps its key for"
        + " a while. vaultctl init --with-key-file makes a vault that asks for none.")
    return (.passphrase(try askNewPassphrase(on: terminal, for: path, invocation)), nil)
  }

  /// Returns the key that the arguments, a variable or the configuration names; nil if none does.
  private static func named(_ invocation: Invocation) throws(VaultError) -> KeySource? {
    guard !invocation.arguments.has(.withKeyFile) else { return nil }
    // A second half that the environment names belongs to a slot that needs both, which this is
    // not.
    let key = try invocation.keyFromArguments().orFound()?.first
    // The default key file is used if it is asked for, or nobody can be.
    if case .keyFile(let path) = key, path == KeyFile.defaultPath,
      path != invocation.arguments.text(.keyFile), path != Environment.value("VAULTCTL_KEY_FILE")
    {
      return nil
    }
    return key
  }

  /// Returns a passphrase and a key file, which is created if it is missing, once the passphrase is
  /// known.
  private static func newKeyOfBoth(
    _ file: String?, for path: String, _ invocation: Invocation
  ) throws(VaultError) -> (key: KeySource, madeFile: String?) {
    let named: String? = if let file { file } else { try VaultConfiguration.read()?.keyFile }
    let passphrase: KeySource
    if let given = try invocation.passphraseFromArguments() {
      passphrase = given
    } else if let likely = named ?? KeyFile.defaultPath,
      case .both(_, let found) = try KeySource.keyFile(likely).completed()
    {
      passphrase = found
    } else {
      passphrase = .passphrase(try askNewPassphrase(for: path, invocation))
    }
    let loaded = try passphrase.loaded()
    guard let file = named else {
      let made = try KeyFile.makeDefault(for: path)
      return (.both(loaded, .keyFile(made.path)), made.isNew ? made.path : nil)
    }
    guard !KeyFile.isPresent(at: file) else { return (.both(loaded, .keyFile(file)), nil) }
    try KeyFile.create(at: file)
    return (.both(loaded, .keyFile(file)), file)
  }

  private static func askNewPassphrase(
    for path: String, _ invocation: Invocation
  ) throws(VaultError) -> Secret {
    guard invocation.mayPrompt, let terminal = Terminal() else { throw noTerminal }
    return try askNewPassphrase(on: terminal, for: path, invocation)
  }

  private static func askNewPassphrase(
    on terminal: borrowing Terminal, for path: String, _ invocation: Invocation
  ) throws(VaultError) -> Secret {
    let passphrase = try terminal.newSecret(prompt: "New passphrase for \(path): ")
    try invocation.advise(on: passphrase)
    return passphrase
  }

  private static var noTerminal: VaultError {
    VaultError(.locked, "no key was given and there is no terminal to ask on")
  }

  private static var noPassphrase: VaultError {
    VaultError(.invalidArgument, "--kdf applies to passphrases only")
  }

  private struct Answer {
    let path: String
    let keyFile: String?
    let isNewKeyFile: Bool
    let cost: PassphraseCost?
    let costText: String?
    let code: Secret?
  }

  private static func write(
    _ answer: Answer, _ invocation: Invocation
  ) throws(VaultError) {
    if invocation.isJSON {
      try invocation.output.document { (json) throws(VaultError) in
        try json.field("path", answer.path)
        if let file = answer.keyFile { try json.field("key_file", file) }
        if let cost = answer.cost {
          try json.field("memory_kib", cost.memoryKiB)
          try json.field("passes", cost.passes)
        }
        if let code = answer.code { try json.field("recovery_code", code) }
      }
      return
    }
    if !invocation.isQuiet {
      if let file = answer.keyFile, answer.isNewKeyFile {
        try invocation.output.line("created key file \(file)")
      }
      let cost = answer.costText.map { " (\($0))" } ?? ""
      let file = answer.isNewKeyFile ? nil : answer.keyFile
      let opening = file.map { ", which opens with the key file \($0)" } ?? ""
      try invocation.output.line("created \(answer.path)\(cost)\(opening)")
    }
    if let code = answer.code {
      try invocation.write(recoveryCode: code)
    } else if !invocation.isQuiet {
      try invocation.hint(
        "vaultctl slot add recovery makes a code that opens the vault if this key is lost")
    }
  }
}

extension KeySource {
  /// The path of the key file in it; nil if it has none.
  fileprivate var keyFilePath: String? {
    for case .keyFile(let path) in keyFileSources { return path }
    return nil
  }

  /// The first source that was found and is not a machine's, and of two halves the one that opens a
  /// slot alone.
  fileprivate var first: KeySource? {
    switch self {
    case .both(let first, _): first
    case .found(let sources): sources.first { !$0.isMachineFile }?.first
    default: self
    }
  }
}

extension Invocation {
  /// Refuses options of which one would be ignored: a new vault has one key, and its recovery code.
  fileprivate func requireOneNewKey() throws(VaultError) {
    let keys: [GeneralOption] = [
      .withKeyFile, .keyFile, .passphraseFile, .passphraseFD, .recoveryFile,
    ]
    var named = keys.filter(arguments.has)
    if arguments.has(.both) {
      named.removeAll { $0 == .keyFile }
      if arguments.has(.recoveryFile) { named = [.both, .recoveryFile] }
      if arguments.has(.withKeyFile) { named = [.both, .withKeyFile] }
    }
    guard named.count > 1 else { return }
    let isBoth = named[0] == .keyFile && named[1] != .recoveryFile
    throw VaultError(
      .invalidArgument,
      "--\(named[0].rawValue) and --\(named[1].rawValue) exclude each other"
        + (isBoth ? " without --both" : ""))
  }

  /// Whether the arguments name another key, which overrides a variable's key file.
  fileprivate var namesOtherKey: Bool {
    !arguments.has(.keyFile)
      && (arguments.has(.passphraseFile) || arguments.has(.passphraseFD)
        || arguments.has(.recoveryFile))
  }
}
