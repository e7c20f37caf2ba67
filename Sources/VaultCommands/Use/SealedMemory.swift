import CVaultSystem
import Glibc
package import SecureMemory
package import VaultModel
import VaultTerminal

/// A secret as a nameless file in memory, sealed against every change.
///
/// It is gone when the last descriptor is closed. Unlike our own memory it can be swapped.
package final class SealedMemory {
  /// The descriptor, which is closed on `execve`.
  package let descriptor: Int32

  /// Creates the file.
  ///
  /// - Parameters:
  ///   - secret: The content.
  ///   - minimum: The lowest number that the descriptor can have.
  /// - Throws: ``VaultError/Code/unavailable`` if the system has no such files or descriptors.
  package init(_ secret: Secret, above minimum: Int32 = 3) throws(VaultError) {
    let created = vaultctl_memory_file()
    guard created >= 0 else { throw Self.failure }
    // Above the numbers that the user chose for other files.
    descriptor = fcntl(created, F_DUPFD_CLOEXEC, minimum)
    let number = errno
    close(created)
    guard descriptor >= 0 else {
      throw VaultError(
        .unavailable, "a secret cannot be put into memory", underlying: .errno(number))
    }
    try secret.withRawBytes { bytes throws(VaultError) in
      try Descriptor.write(bytes, to: descriptor)
    }
    guard lseek(descriptor, 0, SEEK_SET) == 0, fchmod(descriptor, 0o400) == 0,
      vaultctl_seal(descriptor) == 0
    else { throw Self.failure }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Lets the program that this process becomes inherit the descriptor; returns whether it can.
  package func isInherited() -> Bool { fcntl(descriptor, F_SETFD, 0) == 0 }

  private static var failure: VaultError {
    VaultError(.unavailable, "a secret cannot be put into memory", underlying: .errno(errno))
  }
}
