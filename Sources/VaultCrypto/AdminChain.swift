package import VaultModel

/// The admin keys of a vault, of which each one signed the next.
///
/// A machine that was an admin's knows the admin key for good. A rekey without that machine has a
/// new admin key, and machines that were joined to an older one follow the chain from there.
/// Source: `Documentation/format.md` §4.4.
package struct AdminChain: Equatable, Sendable {
  /// Each reader verifies all of them whenever it opens the vault.
  package static let mostLinks = 64

  private struct Link: Equatable, Sendable {
    static let byteCount = 8 + Curve.keySize + Curve.signatureSize
    /// The first epoch that this key signs.
    let epoch: UInt64
    let key: AdminKey
    /// By the key before.
    let signature: [UInt8]
  }

  private let first: AdminKey
  private var links: [Link] = []

  /// The key that signs the vault's machines now.
  package var present: AdminKey { links.last?.key ?? first }

  /// Begins a chain.
  package init(_ first: AdminKey) { self.first = first }

  /// Reads a chain; nil for a wrong number of bytes.
  init?(decoding bytes: ArraySlice<UInt8>) {
    let (count, rest) = (bytes.count - Curve.keySize).quotientAndRemainder(
      dividingBy: Link.byteCount)
    guard bytes.count >= Curve.keySize, rest == 0, count <= Self.mostLinks else { return nil }
    self.init(AdminKey(Array(bytes.prefix(Curve.keySize))))
    var bytes = bytes.dropFirst(Curve.keySize)
    while !bytes.isEmpty {
      let link = bytes.prefix(Link.byteCount)
      links.append(
        Link(
          epoch: UInt64(littleEndianIn: Array(link), at: 0),
          key: AdminKey(Array(link.dropFirst(8).prefix(Curve.keySize))),
          signature: Array(link.suffix(Curve.signatureSize))))
      bytes = bytes.dropFirst(Link.byteCount)
    }
  }

  var encoded: [UInt8] {
    var bytes = first.bytes
    for link in links {
      link.epoch.appendLittleEndian(to: &bytes)
      bytes += link.key.bytes + link.signature
    }
    return bytes
  }

  /// Adds a key that signs from an epoch on.
  ///
  /// - Parameters:
  ///   - new: The new key.
  ///   - ident: The vault, and the first epoch that the new key signs.
  ///   - present: The present key's secret half.
  /// - Throws: ``VaultError/Code/invalidArgument`` if the chain is full.
  package mutating func append(
    _ new: AdminKey, from ident: Ident, signedBy present: AdminSecret
  ) throws(VaultError) {
    guard links.count < Self.mostLinks else {
      throw VaultError(
        .invalidArgument,
        "the vault has had \(Self.mostLinks + 1) admin keys: a rekey without machines begins anew")
    }
    let signature = present.sign(Self.message(new, ident.vaultID, from: ident.epoch))
    links.append(Link(epoch: ident.epoch, key: new, signature: signature))
  }

  /// Returns whether this is another chain, or what it was continued to.
  package func continues(_ other: AdminChain) -> Bool {
    first == other.first && links.starts(with: other.links)
  }

  /// The keys that are or were admin keys of the vault.
  package var keys: Set<AdminKey> { Set([first] + links.map(\.key)) }

  /// Returns whether each key signed the next, for a later epoch.
  func isValid(of ident: Ident) -> Bool {
    var (key, epoch) = (first, UInt64(0))
    for link in links {
      let message = Self.message(link.key, ident.vaultID, from: link.epoch)
      guard link.epoch > epoch, link.epoch <= ident.epoch,
        Curve.isSigned(message, link.signature, by: key.bytes)
      else { return false }
      (key, epoch) = (link.key, link.epoch)
    }
    return true
  }

  private static func message(_ key: AdminKey, _ vault: VaultID, from epoch: UInt64) -> [UInt8] {
    var message = Array("vltadms1".utf8) + vault.bytes
    epoch.appendLittleEndian(to: &message)
    return message + key.bytes
  }
}
