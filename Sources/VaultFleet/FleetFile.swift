import CredentialVault
import Glibc
import VaultFile
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

  /// Notes that the replica has all that the server has now: the file's time says when that was.
  func noteContact() {
    // The path is a C string during the call. A failure makes the replica look older than it is.
    _ = unsafe utimensat(AT_FDCWD, path, nil, 0)
  }

  /// Writes the server's address, in one step.
  ///
  /// - Throws: ``VaultError/Code/cannotCreate``.
  package func write(_ address: ServerAddress) throws(VaultError) {
    try SmallFile.replace(path, with: Array("\(Self.name) = \(address.text)\n".utf8))
  }
}
