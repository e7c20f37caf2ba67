import Glibc
package import VaultStore
import VaultModel

/// A vault of a list, and whether it is written.
public struct ListedVault: Hashable, Sendable {
  /// The vault's file.
  public var path: String
  /// Whether the vault is only read.
  ///
  /// Such a vault may belong to root or to ``owner``, and a group may read it. Nobody but its owner
  /// may be able to write it. Nothing is written to it or beside it.
  public var isReadOnly: Bool
  /// The user who may own a read-only vault beside this one and root: a name in `/etc/passwd`, or a
  /// number.
  public var owner: String?

  /// Creates an entry of a list.
  public init(_ path: String, isReadOnly: Bool = false, owner: String? = nil) {
    self.path = path
    self.isReadOnly = isReadOnly
    self.owner = owner
  }

  /// Returns the role in which the vault is opened.
  ///
  /// - Throws: ``VaultError/Code/configuration`` if no user has the owner's name.
  package func role() throws(VaultError) -> VaultFile.Role {
    guard isReadOnly else { return .vault }
    guard let owner else { return .onlyRead(owner: nil) }
    if let number = UInt32(owner) { return .onlyRead(owner: number) }
    guard let number = try Users.number(of: owner) else {
      throw VaultError(.configuration, "\(path): no user has the name of its owner")
    }
    return .onlyRead(owner: number)
  }
}

/// The users of this machine.
///
/// The C library's own lookup loads further libraries, which a static program cannot.
private enum Users {
  /// Returns a user's number; nil if `/etc/passwd` does not have the name.
  ///
  /// Source: passwd(5).
  static func number(of name: String) throws(VaultError) -> UInt32? {
    let bytes = try SmallFile.read("/etc/passwd", atMost: 1 << 24) ?? []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(
        separator: UInt8(ascii: ":"), maxSplits: 3, omittingEmptySubsequences: false)
      guard fields.count > 3, fields[0].elementsEqual(name.utf8) else { continue }
      return UInt32(String(decoding: fields[2], as: UTF8.self))
    }
    return nil
  }
}
