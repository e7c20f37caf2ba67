import Glibc
public import SecureMemory
public import VaultModel

/// Where the key of a vault comes from.
///
/// No passphrase is empty: a source that gives an empty one is an error that names it.
public indirect enum KeySource: Sendable {
  /// A key file, by its path.
  case keyFile(String)
  /// A passphrase that is in guarded memory already.
  case passphrase(Secret)
  /// A file that holds a passphrase; one newline at its end is no part of it.
  case passphraseFile(String)
  /// An open descriptor to read a passphrase from, to its end; it stays open.
  case passphraseDescriptor(Int32)
  /// A variable of the environment that holds a passphrase; it is wiped from the environment when it is read.
  case passphraseVariable(String)
  /// A passphrase that is asked for when a slot needs it.
  case askedPassphrase(@Sendable () throws(VaultError) -> Secret)
  /// The text of a recovery code, as it was shown or is typed: any case, blanks and dashes anywhere.
  case recoveryCode(Secret)
  /// A file that holds a recovery code.
  case recoveryFile(String)
  /// A passphrase and a key file, in either order.
  ///
  /// A slot that needs both takes them together; the first opens other slots alone. The second is not read before a slot
  /// needs it. A slot that is made for this needs both.
  case both(KeySource, KeySource)

  /// The first source that the environment names: `$VAULTCTL_KEY_FILE`, `$VAULTCTL_PASSPHRASE_FILE`,
  /// `vaultctl.key` or `vaultctl.passphrase` in systemd's `$CREDENTIALS_DIRECTORY`, and
  /// `$VAULTCTL_PASSPHRASE`, which is wiped from the environment when it is read.
  ///
  /// Where it also names the other half of what a slot may need, that comes with it.
  ///
  /// - Returns: Nil if there is none.
  public static func find() -> KeySource? {
    inEnvironment.first?.completed()
  }

  /// The same source, with the other half of what a slot may need if the environment names one.
  ///
  /// - Returns: ``both(_:_:)`` for a passphrase or a key file, else the source itself.
  public func completed() -> KeySource {
    let isOther: (KeySource) -> Bool
    switch self {
    case .keyFile: isOther = \.isPassphrase
    case .both, .recoveryCode, .recoveryFile: return self
    default: isOther = { !$0.isPassphrase }
    }
    return Self.inEnvironment.first(where: isOther).map { .both(self, $0) } ?? self
  }

  /// Everything that the environment names, the first that applies first.
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
    // Also an empty one: whoever set it meant a passphrase, and none is empty.
    if Environment.isSet("VAULTCTL_PASSPHRASE") {
      found.append(.passphraseVariable("VAULTCTL_PASSPHRASE"))
    }
    return found
  }

  /// Whether it is a passphrase, and nothing else.
  var isPassphrase: Bool {
    switch self {
    case .passphrase, .passphraseFile, .passphraseDescriptor, .passphraseVariable,
      .askedPassphrase:
      true
    case .keyFile, .recoveryCode, .recoveryFile, .both: false
    }
  }
}
