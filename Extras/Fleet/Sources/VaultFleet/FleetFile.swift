import CredentialVault
import Glibc
package import VaultModel
import VaultStore

/// The file beside a replica that says where its fleet's server is, and which of its vaults the
/// replica has.
///
/// It is this machine's own, because machines reach a server in different ways, and as different
/// roles. It holds no secret.
package struct FleetFile: Sendable {
  private static let byteLimit = 4096
  private static let (server, vault) = ("server", "vault")

  package let path: String

  /// - Parameter vault: The path of the replica.
  package init(besides vault: String) {
    path = VaultLocation.replicaFile(besides: vault)
  }

  /// Reads the server's address.
  ///
  /// - Throws: ``VaultError/Code/configuration`` if there is none, or no such file;
  ///   ``VaultError/Code/unsafePermissions`` if others can write it.
  package func read() throws(VaultError) -> ServerAddress {
    guard let lines = try lines() else {
      throw VaultError(
        .configuration, "\(path) is missing, which says where the fleet's server is")
    }
    guard let address = lines[Self.server] else {
      throw VaultError(.configuration, "\(path) has no line \(Self.server) = ADDRESS")
    }
    return try ServerAddress(address)
  }

  /// Reads the id of the vault; nil if there is no such file, or it does not say.
  ///
  /// - Throws: As ``read()``, if there is such a file.
  package func readVault() throws(VaultError) -> VaultID? {
    try lines()?[Self.vault].flatMap(VaultID.init(hexadecimal:))
  }

  /// Returns the values of its lines; nil without such a file.
  private func lines() throws(VaultError) -> [String: String]? {
    guard let bytes = try SmallFile.read(path, atMost: Self.byteLimit) else { return nil }
    var values: [String: String] = [:]
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { continue }
      let name = String(parts[0].filter { $0 != " " })
      values[name] = values[name] ?? String(parts[1].drop { $0 == " " })
    }
    return values
  }

  /// Writes the server's address for a step that makes the replica, and takes it back if that
  /// fails.
  ///
  /// No other program may do so meanwhile: the folder's lock is held.
  ///
  /// - Parameters:
  ///   - address: The address.
  ///   - vault: The vault's id.
  ///   - step: The step, before which the address has to be there.
  ///   - isKept: Whether the address stays after an error.
  /// - Throws: ``VaultError/Code/cannotCreate``; as reading; the errors of `step`.
  func write(
    _ address: ServerAddress, of vault: VaultID, for step: () throws(VaultError) -> Void,
    keptAfter isKept: (VaultError) -> Bool = { _ in false }
  ) throws(VaultError) {
    let before = try SmallFile.read(path, atMost: Self.byteLimit)
    try write(address, of: vault)
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
  package func write(
    _ address: ServerAddress, of vault: VaultID? = nil
  ) throws(VaultError) {
    let contact = SmallFile.time(of: path) ?? Timestamp(milliseconds: 0)
    var text = "\(Self.server) = \(address.text)\n"
    if let vault { text += "\(Self.vault) = \(vault.hex)\n" }
    try SmallFile.replace(path, with: Array(text.utf8), modified: contact)
  }
}
