import Glibc
public import SecureMemory
public import VaultModel

/// The source of a vault's key.
///
/// A passphrase must not be empty: a source that provides an empty one is an error that names the
/// source.
public indirect enum KeySource: Sendable {
  /// A key file, by its path.
  case keyFile(String)
  /// A key file's text, as `vaultctl key` prints it.
  case keyText(Secret)
  /// An environment variable that holds a key file's text; reading it wipes it from the
  /// environment.
  case keyVariable(String)
  /// A passphrase that is already in guarded memory.
  case passphrase(Secret)
  /// A file that holds a passphrase; one newline at its end is not part of it.
  case passphraseFile(String)
  /// An open descriptor from which a passphrase is read to the end; it stays open.
  case passphraseDescriptor(Int32)
  /// An environment variable that holds a passphrase; reading it wipes it from the environment.
  case passphraseVariable(String)
  /// A passphrase that the user is prompted for when a slot needs it.
  ///
  /// Any error of the closure other than a ``VaultError`` becomes ``VaultError/Code/interrupted``.
  case askedPassphrase(@Sendable () throws -> Secret)
  /// The text of a recovery code as it was shown or is typed: any case, blanks and dashes anywhere.
  case recoveryCode(Secret)
  /// A file whose last line is a recovery code: behind the words with which it was shown.
  case recoveryFile(String)
  /// A passphrase and a key file, in either order.
  ///
  /// A slot that needs both takes them together; the first alone opens other slots. The second is
  /// not read before a slot needs it. A slot created with this source needs both.
  case both(KeySource, KeySource)
  /// Sources that nobody named, in order: the first that opens the vault is used.
  ///
  /// A source that opens nothing is passed over, as the key of another vault. A new vault or slot
  /// takes the first that is not a machine's.
  case found([KeySource])

  /// Returns the first source that the environment names: `$VAULTCTL_KEY_FILE`, `$VAULTCTL_KEY`,
  /// `$VAULTCTL_PASSPHRASE_FILE`, `vaultctl.key` or `vaultctl.passphrase` in systemd's
  /// `$CREDENTIALS_DIRECTORY`, and `$VAULTCTL_PASSPHRASE`, which is wiped from the environment when
  /// it is read, as the text of a key in `$VAULTCTL_KEY` is; else ``found(_:)`` with this machine's
  /// key at `~/.config/vaultctl/machine.key`, the key file of the user's configuration and the one
  /// at ``KeyFile/defaultPath``.
  ///
  /// If one of these is the other half for a slot that needs both, the result includes it.
  ///
  /// - Returns: Nil if there is none.
  /// - Throws: ``VaultError/Code/configuration`` if the configuration is looked at and wrong;
  ///   ``VaultError/Code/unsafePermissions`` if others could have written it.
  public static func find() throws(VaultError) -> KeySource? {
    if let first = inEnvironment.first { return try first.source.completed() }
    var files = try inFiles()
    // First, because a vault that has machines is written by them alone.
    if let path = KeyFile.machinePath, KeyFile.isPresent(at: path) {
      files.insert(.keyFile(path), at: 0)
    }
    return files.isEmpty ? nil : .found(files)
  }

  /// Returns the same source, together with the other half for a slot that needs both if the
  /// environment names one, or a key file is found for a passphrase.
  ///
  /// - Returns: ``both(_:_:)`` for a passphrase or a key file, else the source itself;
  ///   ``found(_:)`` with one or more ``both(_:_:)`` for key files that were found for a
  ///   passphrase.
  /// - Throws: As ``find()``.
  public func completed() throws(VaultError) -> KeySource {
    let isOther: (KeySource) -> Bool
    switch self {
    case .keyFile, .keyText, .keyVariable: isOther = \.isPassphrase
    case .both, .found, .recoveryCode, .recoveryFile: return self
    default: isOther = { !$0.isPassphrase }
    }
    if let other = Self.inEnvironment.map(\.source).first(where: isOther) {
      return .both(self, other)
    }
    guard isPassphrase else { return self }
    let files = try Self.inFiles()
    guard !files.isEmpty else { return self }
    let passphrase = readOnce()
    return .found(files.map { .both(passphrase, $0) })
  }

  /// Returns the key file that the user's configuration names, and the one at the default place if
  /// there is one.
  package static func inFiles() throws(VaultError) -> [KeySource] {
    var paths: [String] = []
    if let path = try VaultConfiguration.read()?.keyFile { paths.append(path) }
    if let path = KeyFile.defaultPath, !paths.contains(path), KeyFile.isPresent(at: path) {
      paths.append(path)
    }
    return paths.map { .keyFile($0) }
  }

  /// Every source that the environment names, in order of precedence, with the variable.
  package static var inEnvironment: [(variable: String, source: KeySource)] {
    var found: [(variable: String, source: KeySource)] = []
    if let path = Environment.value("VAULTCTL_KEY_FILE") {
      found.append(("VAULTCTL_KEY_FILE", .keyFile(path)))
    }
    // Also if it is empty, as below.
    if Environment.isSet("VAULTCTL_KEY") {
      found.append(("VAULTCTL_KEY", .keyVariable("VAULTCTL_KEY")))
    }
    if let path = Environment.value("VAULTCTL_PASSPHRASE_FILE") {
      found.append(("VAULTCTL_PASSPHRASE_FILE", .passphraseFile(path)))
    }
    if let folder = Environment.value("CREDENTIALS_DIRECTORY") {
      if KeyFile.isPresent(at: folder + "/vaultctl.key") {
        found.append(("CREDENTIALS_DIRECTORY", .keyFile(folder + "/vaultctl.key")))
      }
      if KeyFile.isPresent(at: folder + "/vaultctl.passphrase") {
        found.append(("CREDENTIALS_DIRECTORY", .passphraseFile(folder + "/vaultctl.passphrase")))
      }
    }
    // Also if it is empty: setting it means a passphrase, and an empty one is an error.
    if Environment.isSet("VAULTCTL_PASSPHRASE") {
      found.append(("VAULTCTL_PASSPHRASE", .passphraseVariable("VAULTCTL_PASSPHRASE")))
    }
    return found
  }

  /// Whether the source is a passphrase and nothing else.
  var isPassphrase: Bool {
    switch self {
    case .passphrase, .passphraseFile, .passphraseDescriptor, .passphraseVariable,
      .askedPassphrase:
      true
    case .keyFile, .keyText, .keyVariable, .recoveryCode, .recoveryFile, .both, .found: false
    }
  }

  /// Whether nobody named the source.
  package var isFound: Bool { if case .found = self { true } else { false } }

  /// Whether the source is a key file or its text, and nothing else.
  package var isKeyFile: Bool {
    switch self {
    case .keyFile, .keyText, .keyVariable: true
    default: false
    }
  }
}

extension KeySource {
  /// The key files and their texts in it, also as halves, in order.
  package var keyFileSources: [KeySource] {
    switch self {
    case .both(let first, let second): first.keyFileSources + second.keyFileSources
    case .found(let sources): sources.flatMap(\.keyFileSources)
    default: isKeyFile ? [self] : []
    }
  }
}

extension KeySource? {
  /// Returns the source that was given, else the one that ``KeySource/find()`` finds.
  package func orFound() throws(VaultError) -> KeySource? {
    if let self { return self }
    return try KeySource.find()
  }
}
