import Glibc
import VaultModel

extension Arguments {
  /// The options whose value is the number of a descriptor that a secret is read from.
  private static let descriptors: [GeneralOption] = [
    .passphraseFD, .passwordFD, .refreshTokenFD, .newPassphraseFD, .filePassphraseFD,
  ]

  /// Requires that the descriptors that the options name are open, before the program opens any of
  /// its own.
  ///
  /// A number that is free now is soon that of the vault's file, which would be read as the secret.
  ///
  /// - Throws: ``VaultError/Code/missingInput`` for one that is not open for reading;
  ///   ``VaultError/Code/invalidArgument`` for what is no number.
  func requireOpenDescriptors() throws(VaultError) {
    for option in Self.descriptors {
      guard let number = try parsed(option, as: Values.descriptor) else { continue }
      let mode = fcntl(number, F_GETFL)
      guard mode >= 0, mode & O_ACCMODE != O_WRONLY else {
        throw VaultError(
          .missingInput, "--\(option.rawValue): the descriptor is not open for reading")
      }
    }
  }
}
