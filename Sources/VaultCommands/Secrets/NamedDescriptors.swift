import Glibc
import VaultModel

/// The descriptors that a command line names, by numbers or by the kernel's paths of them.
///
/// They have to be open before the program opens any of its own: a number that is free now is soon
/// that of the vault's file, which would be read as the secret.
extension Invocation {
  /// The options whose value is the number of a descriptor that a secret is read from.
  private static let descriptors: [GeneralOption] = [
    .passphraseFD, .passwordFD, .refreshTokenFD, .totpFD, .newPassphraseFD, .filePassphraseFD,
    .pinFD, .newPinFD,
  ]
  private static let folders = ["/dev/fd/", "/proc/self/fd/"]

  /// Requires that all descriptors that the arguments name are open.
  ///
  /// - Throws: ``VaultError/Code/missingInput`` for one that is not, or not for reading;
  ///   ``VaultError/Code/invalidArgument`` for what is not a number.
  func requireOpenDescriptors() throws(VaultError) {
    for option in Self.descriptors {
      guard let number = try arguments.parsed(option, as: Values.descriptor) else { continue }
      let mode = fcntl(number, F_GETFL)
      guard mode >= 0, mode & O_ACCMODE != O_WRONLY else {
        throw VaultError(
          .missingInput, "--\(option.rawValue): the descriptor is not open for reading")
      }
    }
    for name in arguments.names where !arguments.texts(name).allSatisfy(Self.isOpen) {
      throw VaultError(.missingInput, "--\(name.text): the descriptor is not open")
    }
    // Those of another program are opened for it.
    guard command.operands.isCommandLine || arguments.operands.allSatisfy(Self.isOpen) else {
      throw VaultError(.missingInput, "the descriptor is not open")
    }
  }

  /// Returns whether a path names no descriptor, or one that is open.
  private static func isOpen(_ path: String) -> Bool {
    guard let folder = folders.first(where: path.hasPrefix),
      let number = Int32(path.dropFirst(folder.count))
    else { return true }
    return fcntl(number, F_GETFD) >= 0
  }
}
