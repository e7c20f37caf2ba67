import CredentialVault
import Glibc
import VaultStore
package import VaultModel

/// The file beside a replica that says where its fleet's server is.
///
/// It is this machine's own, because machines reach a server in different ways, and as different
/// roles. It holds no secret.
package struct FleetFile: Sendable {
  private static let byteLimit = 4096
  private static let name = "server"

  package let path: String

  /// - Parameter vault: The path of the replica.
  package init(besides vault: String) {
    path = ReplicaFile.path(besides: vault)
  }

  /// Reads the server's address.
  ///
  /// - Throws: ``VaultError/Code/configuration`` if there is none, or no such file;
  ///   ``VaultError/Code/unsafePermissions`` if others can write it.
  package func read() throws(VaultError) -> ServerAddress {
    guard let bytes = try SmallFile.read(path, atMost: Self.byteLimit) else {
      throw VaultError(
        .configuration, "\(path) is missing, which says where the fleet's server is")
    }
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, parts[0].filter({ $0 != " " }) == Self.name else { continue }
      return try ServerAddress(String(parts[1].drop { $0 == " " }))
    }
    throw VaultError(.configuration, "\(path) has no line \(Self.name) = ADDRESS")
  }

  /// Writes the server's address for a step that makes the replica, and takes it back if that
  /// fails.
  ///
  /// No other program may do so meanwhile: the folder's lock is held.
  ///
  /// - Parameters:
  ///   - address: The address.
  ///   - step: The step, before which the address has to be there.
  ///   - isKept: Whether the address stays after an error.
  /// - Throws: ``VaultError/Code/cannotCreate``; as reading; the errors of `step`.
  func write(
    _ address: ServerAddress, for step: () throws(VaultError) -> Void,
    keptAfter isKept: (VaultError) -> Bool = { _ in false }
  ) throws(VaultError) {
    let before = try SmallFile.read(path, atMost: Self.byteLimit)
    try write(address)
    do throws(VaultError) {
      try step()
    } catch {
      if isKept(error) { throw error }
      if let before {
        try SmallFile.replace(path, with: before, modified: SmallFile.time(of: path))
      } else {
        unsafe unlink(path)
      }
      throw error
    }
  }

  /// Writes the server's address, in one step.
  ///
  /// The file's time stays, or is 1970 for a new one: nothing was compared by this.
  ///
  /// - Throws: ``VaultError/Code/cannotCreate``.
  package func write(_ address: ServerAddress) throws(VaultError) {
    let contact = SmallFile.time(of: path) ?? Timestamp(milliseconds: 0)
    try SmallFile.replace(
      path, with: Array("\(Self.name) = \(address.text)\n".utf8), modified: contact)
  }
}
