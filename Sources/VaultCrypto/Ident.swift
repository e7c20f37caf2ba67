package import VaultModel

extension VaultID {
  /// Creates a random one.
  package init() {
    self.init(trusted: Randomness.bytes(Self.byteCount))
  }
}

/// The unencrypted header of a vault: its ID, the epoch of its key, and its format.
///
/// Source: `Documentation/format.md` §3.
package struct Ident: Equatable, Sendable {
  package static let byteCount = 48
  package static let currentMajor: UInt16 = 1
  private static let magic = Array("vltident".utf8)
  /// The feature of a replica: an arbiter decides who writes it next, and no other program may.
  package static let arbitrated: UInt32 = 1 << 16

  package var major = Self.currentMajor
  package var minor: UInt16 = 0
  package var vaultID: VaultID
  package var epoch: UInt64
  package var features: UInt32 = 0

  package init(vaultID: VaultID, epoch: UInt64) {
    self.vaultID = vaultID
    self.epoch = epoch
  }

  package var isArbitrated: Bool { features & Self.arbitrated != 0 }

  /// Returns whether the 48 bytes of an ident are a replica's.
  package static func isArbitrated(_ encoded: [UInt8]) -> Bool {
    UInt32(littleEndianIn: encoded, at: 36) & arbitrated != 0
  }

  /// Reads the 48 bytes.
  ///
  /// - Parameters:
  ///   - bytes: The contents of `vault.ident`.
  ///   - known: The features that the reader supports.
  /// - Throws: ``VaultError/Code/damaged`` if the length, the magic or the checksum is wrong;
  ///   ``VaultError/Code/tooNew`` for a higher major version or an unknown feature.
  package init(decoding bytes: [UInt8], knowing known: UInt32 = Self.arbitrated) throws(VaultError)
  {
    guard bytes.count == Self.byteCount, bytes.starts(with: Self.magic),
      Hash.checksum(bytes[..<40]).elementsEqual(bytes[40...]),
      let vaultID = VaultID(bytes[12..<28])
    else {
      throw VaultError(.damaged, "the vault's ident is damaged")
    }
    major = UInt16(littleEndianIn: bytes, at: 8)
    minor = UInt16(littleEndianIn: bytes, at: 10)
    self.vaultID = vaultID
    epoch = UInt64(littleEndianIn: bytes, at: 28)
    features = UInt32(littleEndianIn: bytes, at: 36)
    guard major > 0, epoch > 0 else { throw VaultError(.damaged, "the vault's ident is damaged") }
    guard major == Self.currentMajor, features & ~known == 0 else {
      throw VaultError(
        .tooNew, "the vault has format \(major).\(minor), features \(features); this is format 1")
    }
    guard epoch < SealedNumber.end else {
      throw VaultError(.damaged, "the vault's epoch is out of bounds")
    }
  }

  /// Returns the ident of the next epoch.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if there is none.
  package func successor() throws(VaultError) -> Ident {
    var ident = self
    ident.epoch = try SealedNumber.sum(epoch, 1, "epoch")
    return ident
  }

  /// The 48 bytes.
  package var encoded: [UInt8] {
    var bytes = Self.magic
    major.appendLittleEndian(to: &bytes)
    minor.appendLittleEndian(to: &bytes)
    bytes += vaultID.bytes
    epoch.appendLittleEndian(to: &bytes)
    features.appendLittleEndian(to: &bytes)
    return bytes + Hash.checksum(bytes)
  }
}
