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
  /// A passphrase that is already in guarded memory.
  case passphrase(Secret)
  /// A file that holds a passphrase; one newline at its end is not part of it.
  case passphraseFile(String)
  /// An open descriptor from which a passphrase is read to the end; it stays open.
  case passphraseDescriptor(Int32)
  /// An environment variable that holds a passphrase; reading it wipes it from the environment.
  case passphraseVariable(String)
  /// A passphrase that the user is prompted for when a slot needs it.
  case askedPassphrase(@Sendable () throws(VaultError) -> Secret)
  /// The text of a recovery code as it was shown or is typed: any case, blanks and dashes anywhere.
  case recoveryCode(Secret)
  /// A file that holds a recovery code.
  case recoveryFile(String)
  /// A passphrase and a key file, in either order.
  ///
  /// A slot that needs both takes them together; the first alone opens other slots. The second is
  /// not read before a slot needs it. A slot created with this source needs both.
  case both(KeySource, KeySource)

  /// Returns the first source that the environment names: `$VAULTCTL_KEY_FILE`,
  /// `$VAULTCTL_PASSPHRASE_FILE`, `vaultctl.key` or `vaultctl.passphrase` in systemd's
  /// `$CREDENTIALS_DIRECTORY`, and `$VAULTCTL_PASSPHRASE`, which is wiped from the environment when
  /// it is read; else the key file of the user's configuration.
  ///
  /// If one of these is the other half for a slot that needs both, the result includes it.
  ///
  /// - Returns: Nil if there is none.
  /// - Throws: ``VaultError/Code/configuration`` if the configuration is looked at and wrong;
  ///   ``VaultError/Code/unsafePermissions`` if others could have written it.
  public static func find() throws(VaultError) -> KeySource? {
    if let first = inEnvironment.first { return try first.completed() }
    return try inConfiguration()
  }

  /// Returns the same source, together with the other half for a slot that needs both if the
  /// environment or the user's configuration names one.
  ///
  /// - Returns: ``both(_:_:)`` for a passphrase or a key file, else the source itself.
  /// - Throws: As ``find()``.
  public func completed() throws(VaultError) -> KeySource {
    let isOther: (KeySource) -> Bool
    switch self {
    case .keyFile: isOther = \.isPassphrase
    case .both, .recoveryCode, .recoveryFile: return self
    default: isOther = { !$0.isPassphrase }
    }
    if let other = Self.inEnvironment.first(where: isOther) { return .both(self, other) }
    guard isPassphrase, let other = try Self.inConfiguration() else { return self }
    return .both(self, other)
  }

  /// Returns the key file that the user's configuration names.
  private static func inConfiguration() throws(VaultError) -> KeySource? {
    try VaultConfiguration.read()?.keyFile.map { .keyFile($0) }
  }

  /// Every source that the environment names, in order of precedence.
  private static var inEnvironment: [KeySource] {
    var found: [KeySource] = []
    if let path = Environment.value("VAULTCTL_KEY_FILE") { found.append(.keyFile(path)) }
    if let path = Environment.value("VAULTCTL_PASSPHRASE_FILE") {
      found.append(.passphraseFile(path))
    }
    if let folder = Environment.value("CREDENTIALS_DIRECTORY") {
      if KeyFile.isPresent(at: folder + "/vaultctl.key") {
        found.append(.keyFile(folder + "/vaultctl.key"))
      }
      if KeyFile.isPresent(at: folder + "/vaultctl.passphrase") {
        found.append(.passphraseFile(folder + "/vaultctl.passphrase"))
      }
    }
    // Also if it is empty: setting it means a passphrase, and an empty one is an error.
    if Environment.isSet("VAULTCTL_PASSPHRASE") {
      found.append(.passphraseVariable("VAULTCTL_PASSPHRASE"))
    }
    return found
  }

  /// Whether the source is a passphrase and nothing else.
  var isPassphrase: Bool {
    switch self {
    case .passphrase, .passphraseFile, .passphraseDescriptor, .passphraseVariable,
      .askedPassphrase:
      true
    case .keyFile, .recoveryCode, .recoveryFile, .both: false
    }
  }
}

extension KeySource? {
  /// The source that was given, else the one that ``KeySource/find()`` finds.
  package func orFound() throws(VaultError) -> KeySource? {
    if let self { return self }
    return try KeySource.find()
  }
}
